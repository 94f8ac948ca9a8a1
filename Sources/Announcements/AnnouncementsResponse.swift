public import Logging

/// The list in the JSON of seed 058, `{"announcements":[…]}`, with each item decoded separately.
public struct AnnouncementsResponse: Sendable {
  /// The valid items in the order of the list; of several with one id, the first.
  public let announcements: [Announcement]
  /// What was left out: the item's position in the list, from 0, and why.
  public let skipped: [(index: Int, reason: String)]

  /// Where the list goes on: what the next request gives as `after`; nil at its end.
  public let next: String?

  /// A list to send.
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

  /// One item, valid or not; reading it never throws, so the list goes on behind it.
  private struct Item: Decodable {
    let result: Result<Announcement, any Error>
    init(from decoder: any Decoder) { result = Result { try Announcement(from: decoder) } }
  }

  /// Reads a list; throws only when it is no list at all.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    var (valid, skipped, seen) = ([Announcement](), [(index: Int, reason: String)](), Set<String>())
    for (index, item) in try container.decode([Item].self, forKey: .announcements).enumerated() {
      switch item.result {
      case .success(let announcement) where seen.insert(announcement.id).inserted:
        valid.append(announcement)
      case .success: skipped.append((index, "duplicate"))
      case .failure(let error): skipped.append((index, String(describing: error)))
      }
    }
    next = try? container.decodeIfPresent(String.self, forKey: .next)
    (announcements, self.skipped) = (valid, skipped)
  }

  /// Writes the list.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(announcements, forKey: .announcements)
    try container.encodeIfPresent(next, forKey: .next)
  }
}
