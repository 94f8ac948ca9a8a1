public import Logging

/// A list in the JSON of seed 058, `{"announcements":[…]}`. Each item is decoded on its own, so that an invalid one
/// doesn't affect the others.
public struct AnnouncementsResponse: Sendable {
  /// The valid items in the order of the list. If several have the same id, only the first is kept.
  public let announcements: [Announcement]
  /// The items that were left out: the position in the list, from 0, and the reason.
  public let skipped: [(index: Int, reason: String)]

  /// The value of `after` for the next page, or `nil` at the end.
  public let next: String?

  /// Creates a list to send.
  public init(announcements: [Announcement], next: String? = nil) {
    self.announcements = announcements
    self.next = next
    skipped = []
  }

  /// Logs every item that was left out (decision 27).
  public func logSkipped(to logger: Logger) {
    for item in skipped {
      logger.warning(
        "announcement skipped",
        metadata: ["index": "\(item.index)", "reason": "\(item.reason)"])
    }
  }
}

extension AnnouncementsResponse: Codable {
  private enum CodingKeys: String, CodingKey { case announcements, next }

  /// One item, valid or not. Its decoder never throws, so that the items after it are still read.
  private struct Item: Decodable {
    let result: Result<Announcement, any Error>
    init(from decoder: any Decoder) { result = Result { try Announcement(from: decoder) } }
  }

  /// Decodes a list. Throws only if the value isn't a list at all.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    var valid = [Announcement]()
    var skipped = [(index: Int, reason: String)]()
    var seen = Set<String>()
    for (index, item) in try container.decode([Item].self, forKey: .announcements).enumerated() {
      switch item.result {
      case .success(let announcement) where announcement.status == .closed:
        skipped.append((index, "closed: \(announcement.id)"))
      case .success(let announcement) where seen.insert(announcement.id).inserted:
        valid.append(announcement)
      case .success: skipped.append((index, "duplicate"))
      case .failure(let error): skipped.append((index, String(describing: error)))
      }
    }
    next = try? container.decodeIfPresent(String.self, forKey: .next)
    announcements = valid
    self.skipped = skipped
  }

  /// Encodes the list.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(announcements, forKey: .announcements)
    try container.encodeIfPresent(next, forKey: .next)
  }
}
