import Announcements
import Foundation
import ReportFlow

/// A card of a list (seed 058).
struct ListedView {
  let address, testID, title, species, breed, date, status, statusName: String
  let distance, place, reward: String?
  let picture: String?
  let pictureText: String

  init(_ announcement: Announcement, reader: Coordinate?, in words: Words) {
    let card = AnnouncementCard(announcement, readerLocation: reader, words: words)
    (address, testID) = ("/announcements/" + announcement.id, card.accessibilityID)
    (title, species, breed) = (card.title, card.speciesText, card.breedText)
    (date, status) = (card.dateText, card.statusText)
    statusName = announcement.status.rawValue.lowercased()
    (distance, place, reward) = (card.distanceText, card.locationText, card.rewardText)
    picture = announcement.details.photoID.map {
      "/images/" + PictureName(photo: $0, isPreview: true).text
    }
    pictureText = words(.photoOf, ["name": card.title])
  }
}

/// Where the reader of a list is, as the address says it; what is no place counts for nothing.
struct ReaderPlace {
  let coordinate: Coordinate?
  /// The same as a part of an address, to go on with; empty without one.
  let query: String

  init(_ query: [String: String]) {
    let (latitude, longitude) = (query["lat"] ?? "", query["lng"] ?? "")
    coordinate = CoordinateRules.coordinate(latitude: latitude, longitude: longitude)
    self.query =
      coordinate.map {
        "lat=\(CoordinateText.fiveDecimals($0.latitude))&lng="
          + CoordinateText.fiveDecimals($0.longitude)
      } ?? ""
  }
}
