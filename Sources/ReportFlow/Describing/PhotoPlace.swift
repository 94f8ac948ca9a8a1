public import Announcements
public import Foundation
import ImageContainers
package import PhotoAttachments

/// Where a draft's photo was taken, as the original says: the draft's private data, in no record of
/// the photo and no announcement (decision 17).
public struct PhotoPlace: Sendable, Equatable, Codable {
  /// The photo; of another one this is not the place.
  public let photo: UUID
  /// The place.
  public let coordinate: Coordinate

  /// The place of a photo.
  public init(photo: UUID, coordinate: Coordinate) {
    (self.photo, self.coordinate) = (photo, coordinate)
  }

  /// The place of a photo that was just attached; nil when it does not say.
  package init?(_ attached: AttachedPhoto) {
    guard let position = attached.position,
      let coordinate = Coordinate(latitude: position.latitude, longitude: position.longitude)
    else { return nil }
    self.init(photo: attached.photo.id, coordinate: coordinate)
  }
}
