import Announcements
import Foundation
import ImageContainers
import PhotoAttachments
import PhotoIngestion

/// The JSON of an announcement: the object of seed 058 with the additional fields of a response.
struct AnnouncementResponse: Encodable {
  private let announcement: Announcement
  private let photoSizes: [PhotoSizeResponse]
  private let shortUrl: String?
  private let distanceKm: Double?
  private let managementPassword: String?

  /// - Parameters:
  ///   - base: the scheme and host of addresses.
  ///   - reader: the reader's position, for the distance.
  ///   - managementPassword: the password, in the response to the creation only.
  init(
    _ announcement: Announcement, base: String, reader: Coordinate? = nil,
    managementPassword: String? = nil
  ) {
    var shown = announcement
    shown.photoUrl = announcement.photoAddress(base: base)
    self.announcement = shown
    photoSizes = announcement.sizes.map { PhotoSizeResponse($0, base: base) }
    shortUrl = announcement.shortPath.map { base + $0 }
    distanceKm = announcement.distance(from: reader).map { ($0 * 1000).rounded() / 1000 }
    self.managementPassword = managementPassword
  }

  private enum CodingKeys: CodingKey {
    case photoSizes, shortUrl, distanceKm, managementPassword
  }

  func encode(to encoder: any Encoder) throws {
    try announcement.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    if !photoSizes.isEmpty { try container.encode(photoSizes, forKey: .photoSizes) }
    try container.encodeIfPresent(shortUrl, forKey: .shortUrl)
    try container.encodeIfPresent(distanceKm, forKey: .distanceKm)
    try container.encodeIfPresent(managementPassword, forKey: .managementPassword)
  }
}

/// The JSON of a size, whether it was already made or not.
private struct PhotoSizeResponse: Encodable {
  let width, height: Int
  let url, type: String

  init(_ size: SizeLink, base: String) {
    width = size.form.size.width
    height = size.form.size.height
    url = base + size.path
    type = size.form.format.mime
  }
}

extension Announcement {
  /// The path of the announcement's short address. `nil` if it has no short code.
  var shortPath: String? { details.shortCode.map { "/a/" + $0 } }

  /// Returns the address of the announcement's photo, or `nil` without a photo.
  func photoAddress(base: String) -> URL? {
    details.photoID.flatMap { URL(string: base + "/images/" + PictureName(photo: $0, .whole).text) }
  }
}
