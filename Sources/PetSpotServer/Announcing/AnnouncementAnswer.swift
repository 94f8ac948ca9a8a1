import Announcements
import Foundation

/// An announcement as an answer shows it: the object of seed 058 and what belongs to this answer.
struct AnnouncementAnswer: Encodable {
  private let announcement: Announcement
  private let distanceKm: Double?
  private let managementPassword: String?

  /// - Parameters:
  ///   - base: what the photo's address begins with.
  ///   - reader: the reader's position, for the distance.
  ///   - managementPassword: for the one who made it.
  init(
    _ announcement: Announcement, base: String, reader: Coordinate? = nil,
    managementPassword: String? = nil
  ) {
    var shown = announcement
    shown.photoUrl = announcement.photoAddress(base: base)
    self.announcement = shown
    distanceKm = announcement.distance(from: reader).map { ($0 * 1000).rounded() / 1000 }
    self.managementPassword = managementPassword
  }

  private enum CodingKeys: CodingKey { case distanceKm, managementPassword }

  func encode(to encoder: any Encoder) throws {
    try announcement.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(distanceKm, forKey: .distanceKm)
    try container.encodeIfPresent(managementPassword, forKey: .managementPassword)
  }
}

extension Announcement {
  /// Where the photo of this announcement is shown; nil without one.
  func photoAddress(base: String, preview: Bool = false) -> URL? {
    details.photoID.flatMap {
      URL(string: base + "/images/" + PictureName(photo: $0, isPreview: preview).text)
    }
  }
}
