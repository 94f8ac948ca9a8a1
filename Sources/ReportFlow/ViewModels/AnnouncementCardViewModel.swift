public import Announcements
public import Observation

/// One announcement of a list as a card (seed 058, `AnnouncementCardViewModel`).
@MainActor @Observable @dynamicMemberLookup
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

  /// What the card says, such as `title`, `distanceText` and `statusColor`.
  public subscript<Value>(dynamicMember part: KeyPath<AnnouncementCard, Value>) -> Value {
    AnnouncementCard(announcement, readerLocation: readerLocation, words: words)[keyPath: part]
  }
}
