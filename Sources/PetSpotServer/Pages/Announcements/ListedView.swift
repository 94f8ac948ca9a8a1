import Announcements
import ReportFlow

/// A card of a list (seed 058).
struct ListedView {
  let address, testID, title, species, day, date, status, statusName: String
  let breed, sex, near, distance, reward: String?
  /// The latitude and longitude, from which the browser computes the distance.
  let place: String?
  let picture: PictureView?
  /// The level of the heading.
  let level: Int

  init(_ announcement: Announcement, reader: Coordinate?, level: Int = 2, in words: Words) {
    let card = AnnouncementCard(announcement, readerLocation: reader, words: words)
    address = "/announcements/" + announcement.id
    testID = card.accessibilityID
    title = card.title
    species = card.speciesText
    breed = card.distinctBreedText
    day = card.dateText
    date = card.friendlyDateText()
    status = card.statusText
    near = card.nearText
    sex = announcement.details.sex?.displayName(in: words).lowercased()
    place = announcement.location?.coordinate.map { "\($0.latitude) \($0.longitude)" }
    statusName = announcement.status.rawValue.lowercased()
    distance = card.distanceText
    reward = card.rewardText
    let shown = [card.title, card.speciesText, card.distinctBreedText].compactMap { $0 }
    picture = PictureView(
      announcement, .card, text: words("photo.of", ["name": shown.joined(separator: ", ")]))
    self.level = level
  }
}

/// The reader's position according to the URL. An invalid position is ignored.
struct ReaderLocation {
  let coordinate: Coordinate?
  /// The position in URLs, rounded to two decimals (about a kilometer). Empty if there is no position.
  let latitude, longitude: String
  /// `true` if the request's URL has other digits than `latitude` and `longitude`.
  let isUnrounded: Bool

  /// The position as part of another URL's query. Empty if there is no position.
  var query: String { coordinate == nil ? "" : "lat=\(latitude)&lng=\(longitude)" }

  init(_ query: [String: String]) {
    let given = (query["lat"] ?? "", query["lng"] ?? "")
    let place = CoordinateRules.coordinate(latitude: given.0, longitude: given.1)
    coordinate = place
    latitude = place.map { Self.rounded($0.latitude) } ?? ""
    longitude = place.map { Self.rounded($0.longitude) } ?? ""
    isUnrounded = place != nil && given != (latitude, longitude)
  }

  private static func rounded(_ degrees: Double) -> String { CoordinateText.twoDecimals(degrees) }
}
