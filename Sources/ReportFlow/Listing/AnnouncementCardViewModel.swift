public import Announcements
public import Foundation
public import Observation

/// One announcement of a list as a card (seed 058, `AnnouncementCardViewModel`).
@MainActor @Observable
public final class AnnouncementCardViewModel: Identifiable {
  /// The announcement on the card.
  public private(set) var announcement: Announcement
  /// Whether the card shows more; survives a reload.
  public var isExpanded = false
  /// The language of the texts.
  public var words: Words

  private var readerLocation: Coordinate?
  @ObservationIgnored private let onTap: (String) -> Void

  /// A card for a reader at `readerLocation`, nil when that is not known.
  public init(
    _ announcement: Announcement, readerLocation: Coordinate?, words: Words,
    onTap: @escaping (String) -> Void
  ) {
    (self.announcement, self.readerLocation) = (announcement, readerLocation)
    (self.words, self.onTap) = (words, onTap)
  }

  /// Identifies the announcement.
  public nonisolated var id: ObjectIdentifier { ObjectIdentifier(self) }
  /// The announcement's id.
  public var announcementID: String { announcement.id }

  /// Shows newer facts of the same announcement.
  public func update(_ announcement: Announcement, readerLocation: Coordinate?) {
    (self.announcement, self.readerLocation) = (announcement, readerLocation)
  }

  /// The card was tapped.
  public func tapped() { onTap(announcement.id) }

  /// What the card says.
  private var card: AnnouncementCard {
    AnnouncementCard(announcement, readerLocation: readerLocation, words: words)
  }

  /// The pet's name, or its species when it has none.
  public var title: String { card.title }

  /// The species as people call it.
  public var speciesText: String { card.speciesText }

  /// The breed, `-` when it is not known.
  public var breedText: String { card.breedText }

  /// The badge.
  public var statusText: String { card.statusText }

  /// The badge's color as `#RRGGBB`.
  public var statusColor: String { card.statusColor }

  /// The day of the disappearance, else the day of the announcement in UTC, as `2025-11-20`.
  public var dateText: String { card.dateText }

  /// What the finder gets, `Reward: 100 zł`; nil when nothing is promised.
  public var rewardText: String? { card.rewardText }

  /// The place, `52.2297° N, 21.0122° E`; nil when it is not known.
  public var locationText: String? { card.locationText }

  /// The place in words and in numbers, as far as they are known.
  public var seenText: String? { card.seenText }

  /// The distance, `2.3 km`; nil when either place is not known.
  public var distanceText: String? { card.distanceText }

  /// The distance in kilometers; nil when either place is not known.
  public var distanceKm: Double? { card.distanceKm }

  /// Where to load the photo; nil means the placeholder.
  public var photoURL: URL? { announcement.photoUrl }

  /// Names the card in tests.
  public var accessibilityID: String { "animalList.item.\(announcement.id)" }
}
