public import Announcements
public import Foundation

/// What a card says of an announcement, in one language, for a reader somewhere (seed 058).
public struct AnnouncementCard: Sendable {
  /// The announcement.
  public let announcement: Announcement
  /// The language of the texts.
  public let words: Words
  /// Where the reader is; nil when that is not known.
  public let readerLocation: Coordinate?

  /// A card for a reader at `readerLocation`.
  public init(_ announcement: Announcement, readerLocation: Coordinate?, words: Words) {
    (self.announcement, self.readerLocation, self.words) = (announcement, readerLocation, words)
  }

  /// The pet's name, or its species when it has none.
  public var title: String {
    announcement.details.petNameGiven ? announcement.petName : speciesText
  }

  /// The species as people call it.
  public var speciesText: String {
    SpeciesTaxonomyOption(id: announcement.details.speciesID ?? announcement.species.lowercased())
      .displayName(in: words)
  }

  /// The breed, `-` when it is not known.
  public var breedText: String { announcement.details.breed?.nilIfBlank ?? "-" }

  /// The badge.
  public var statusText: String {
    switch announcement.status {
    case .lost: words(.cardLost)
    case .found: words(.cardFound)
    case .closed: words(.cardClosed)
    }
  }

  /// The badge's color as `#RRGGBB`: red and green as in seed 058.
  public var statusColor: String {
    switch announcement.status {
    case .lost: "#FF0000"
    case .found: "#008236"
    case .closed: "#93A2B4"
    }
  }

  /// The day of the disappearance, else the day of the announcement in UTC, as `2025-11-20`.
  public var dateText: String {
    (announcement.details.dateOfDisappearance ?? CalendarDay(announcement.createdAt, in: .gmt))
      .description
  }

  /// What the finder gets, `Reward: 100 zł`; nil when nothing is promised.
  public var rewardText: String? {
    announcement.details.reward?.nilIfBlank.map { words(.cardReward, ["reward": $0]) }
  }

  /// The place, `52.2297° N, 21.0122° E`; nil when it is not known.
  public var locationText: String? {
    announcement.location?.coordinate.map { CoordinateText.place($0, in: words) }
  }

  /// The distance, `2.3 km`; nil when either place is not known.
  public var distanceText: String? {
    announcement.distance(from: readerLocation).map {
      words(.cardDistance, ["km": words.decimal($0, digits: 1)])
    }
  }

  /// The distance in kilometers; nil when either place is not known.
  public var distanceKm: Double? { announcement.distance(from: readerLocation) }

  /// Where to load the photo; nil means the placeholder.
  public var photoURL: URL? { announcement.photoUrl }

  /// Names the card in tests.
  public var accessibilityID: String { "animalList.item.\(announcement.id)" }
}
