public import Announcements
public import Observation
public import PhotoModel
public import ReportFlow

/// The card of one announcement in a list (seed 058, `AnnouncementCardViewModel`).
@MainActor @Observable @dynamicMemberLookup
public final class AnnouncementCardViewModel: Identifiable {
  /// The announcement on the card.
  public private(set) var announcement: Announcement
  /// `true` if the card is expanded. A reload keeps the value.
  public var isExpanded = false
  /// The language of the texts.
  public var language: Language
  package var words: Words { Words(language) }

  private var readerLocation: Coordinate?
  @ObservationIgnored private let onTap: (String) -> Void

  /// Creates a card for a reader at `readerLocation`, or at an unknown place for `nil`.
  public init(
    _ announcement: Announcement, readerLocation: Coordinate?, language: Language,
    onTap: @escaping (String) -> Void
  ) {
    self.announcement = announcement
    self.readerLocation = readerLocation
    self.language = language
    self.onTap = onTap
  }

  /// The identity of this view model.
  public nonisolated var id: ObjectIdentifier { ObjectIdentifier(self) }
  /// The announcement's id.
  public var announcementID: String { announcement.id }

  /// Replaces the card's contents with a newer version of the same announcement.
  public func update(_ announcement: Announcement, readerLocation: Coordinate?) {
    self.announcement = announcement
    self.readerLocation = readerLocation
  }

  /// Handles a tap on the card.
  public func tapped() { onTap(announcement.id) }

  /// The parts of the card's text, such as `title`, `distanceText` and `statusColor`.
  public subscript<Value>(dynamicMember part: KeyPath<AnnouncementCard, Value>) -> Value {
    AnnouncementCard(announcement, readerLocation: readerLocation, words: words)[keyPath: part]
  }
}
