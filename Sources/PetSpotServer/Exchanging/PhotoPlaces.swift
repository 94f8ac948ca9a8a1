import ImageContainers
import Announcements
import Foundation
import PhotoAttachments
import Synchronization

/// Where the photos of drafts were taken, to be offered in step 3 (decision 17): in memory alone, for an
/// hour, because it is written down nowhere.
final class PhotoPlaces: Sendable {
  private struct Place {
    let coordinate: Coordinate
    let end: ContinuousClock.Instant
  }

  private let places = Mutex<[String: Place]>([:])
  private static let most = 10_000

  /// Where the photo of a draft was taken.
  subscript(draft: String) -> Coordinate? {
    places.withLock { places in
      guard let place = places[draft] else { return nil }
      guard place.end > .now else {
        places[draft] = nil
        return nil
      }
      return place.coordinate
    }
  }

  /// Remembers the place of a photo that was just attached; one without a place makes the former one
  /// forgotten.
  func note(_ photo: AttachedPhoto, of draft: String) {
    let coordinate = photo.position.flatMap {
      Coordinate(latitude: $0.latitude, longitude: $0.longitude)
    }
    places.withLock { places in
      if places.count >= Self.most { places = places.filter { $0.value.end > .now } }
      guard places.count < Self.most else { return }
      places[draft] = coordinate.map { Place(coordinate: $0, end: .now + .seconds(3600)) }
    }
  }

  /// Forgets the place of a photo that was removed.
  func forget(_ draft: String) { places.withLock { $0[draft] = nil } }
}
