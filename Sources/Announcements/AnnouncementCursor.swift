/// A position in a list, after the last announcement that was read. Clients pass it back unchanged.
public struct AnnouncementCursor: Sendable, Hashable, LosslessStringConvertible {
  /// The distance from the reader in kilometers. It is infinite once all announcements with a place have been listed,
  /// and `nil` in a list by age.
  package let distance: Double?
  /// The creation time in milliseconds since 1970.
  package let createdAt: Int64
  /// The announcement's row number in the store.
  package let number: Int64
  /// `true` in the last part of a search, whose announcements match less surely.
  package var isLessSure = false

  /// Returns a position before all announcements in the last part of a search.
  package static func beforeAll(of query: AnnouncementListQuery) -> Self {
    let start = query.sortBy == .createdAtAscending ? 0 : Int64.max
    var cursor = Self(
      distance: query.sortBy == .distanceFromUser ? 0 : nil, createdAt: start, number: start)
    cursor.isLessSure = true
    return cursor
  }

  /// Creates a cursor.
  package init(distance: Double? = nil, createdAt: Int64, number: Int64) {
    self.distance = distance
    self.createdAt = createdAt
    self.number = number
  }

  /// Parses a cursor. Returns `nil` if the text isn't a valid cursor.
  public init?(_ description: String) {
    guard description.wholeMatch(of: /[0-9a-f]{1,16}(-[0-9a-f]{1,16}){1,2}s?/) != nil else {
      return nil
    }
    let isLessSure = description.hasSuffix("s")
    let parts = description.dropLast(isLessSure ? 1 : 0).split(separator: "-")
      .compactMap { UInt64($0, radix: 16) }
    guard let createdAt = Int64(exactly: parts[0]), let number = Int64(exactly: parts[1]) else {
      return nil
    }
    let distance = parts.count > 2 ? Double(bitPattern: parts[2]) : nil
    if let distance, !(distance >= 0) { return nil }
    self.init(distance: distance, createdAt: createdAt, number: number)
    self.isLessSure = isLessSure
  }

  /// The cursor as letters, digits and dashes.
  public var description: String {
    let parts = [createdAt, number].map { String($0, radix: 16) }
    return (parts + (distance.map { [String($0.bitPattern, radix: 16)] } ?? []))
      .joined(separator: "-") + (isLessSure ? "s" : "")
  }
}

/// One page of a list.
public struct AnnouncementList: Sendable {
  /// The announcements, in the order of the list.
  public var announcements: [Announcement]
  /// The start of the next page, or `nil` at the end of the list.
  public var next: AnnouncementCursor?
  /// `true` if a search used up its budget before it found as many announcements as requested.
  public var isIncomplete: Bool
  /// The cost of the query, counted in announcements that it read.
  package var lookedAt: Int
  /// The row numbers of the announcements in the store.
  package var numbers: [Int64]

  /// Creates a page.
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
