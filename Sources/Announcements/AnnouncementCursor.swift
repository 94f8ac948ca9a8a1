/// Where a list goes on: behind the last announcement that was looked at. Programs hand it back as it is.
public struct AnnouncementCursor: Sendable, Hashable, LosslessStringConvertible {
  /// Kilometers from the reader, infinite behind all that have a place; nil in a list by age.
  package let distance: Double?
  /// Milliseconds since 1970.
  package let createdAt: Int64
  /// The announcement's number in the store.
  package let number: Int64

  /// A cursor of these parts.
  package init(distance: Double? = nil, createdAt: Int64, number: Int64) {
    self.distance = distance
    self.createdAt = createdAt
    self.number = number
  }

  /// Reads a cursor; nil for a text that is none.
  public init?(_ description: String) {
    guard description.wholeMatch(of: /[0-9a-f]{1,16}(-[0-9a-f]{1,16}){1,2}/) != nil else {
      return nil
    }
    let parts = description.split(separator: "-").compactMap { UInt64($0, radix: 16) }
    guard let createdAt = Int64(exactly: parts[0]), let number = Int64(exactly: parts[1]) else {
      return nil
    }
    let distance = parts.count > 2 ? Double(bitPattern: parts[2]) : nil
    if let distance, !(distance >= 0) { return nil }
    self.init(distance: distance, createdAt: createdAt, number: number)
  }

  /// The cursor as a text of letters, digits and dashes.
  public var description: String {
    let parts = [createdAt, number].map { String($0, radix: 16) }
    return (parts + (distance.map { [String($0.bitPattern, radix: 16)] } ?? []))
      .joined(separator: "-")
  }
}

/// A part of a list.
public struct AnnouncementList: Sendable {
  /// The announcements, in the order of the list.
  public var announcements: [Announcement]
  /// Where it goes on; nil at its end.
  public var next: AnnouncementCursor?
  /// Whether a search ended before it had found as many as it was asked for, although there may be more.
  public var isIncomplete: Bool
  /// How many announcements were looked at.
  package var lookedAt: Int
  /// The numbers of the announcements in the store.
  package var numbers: [Int64]

  /// A list of these parts.
  package init(
    _ announcements: [Announcement], numbers: [Int64] = [], next: AnnouncementCursor? = nil,
    isIncomplete: Bool = false, lookedAt: Int = 0
  ) {
    self.announcements = announcements
    self.numbers = numbers
    self.next = next
    self.isIncomplete = isIncomplete
    self.lookedAt = lookedAt
  }
}
