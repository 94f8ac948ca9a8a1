import Announcements
import PhotoAttachments

/// Finds the announcements of a query, open ones that have their photo, through the indexes of the
/// database. Rows that break a rule are skipped, and the list goes on to the next one.
extension AnnouncementRows {
  /// How many rows in the order of age one look-up by number counts as.
  private static let costOfNumber = 4

  /// A list that grows. It takes one announcement more than it shows, which says that there is a next part.
  private struct Found {
    let limit: Int
    let budget: Int
    var items: [(announcement: Announcement, cursor: AnnouncementCursor)] = []
    var lookedAt = 0
    /// The last one that was looked at.
    var last: AnnouncementCursor?
    /// Whether the search ended before it found enough or reached the end.
    var isCut = false

    var isFull: Bool { items.count > limit }
    var left: Int { budget - lookedAt }
    var missing: Int { limit < .max ? limit + 1 - items.count : 1000 }

    var list: AnnouncementList {
      AnnouncementList(
        items.prefix(limit).map(\.announcement),
        numbers: items.prefix(limit).map(\.cursor.number),
        next: isFull ? items[limit - 1].cursor : isCut ? last : nil, isIncomplete: !isFull && isCut,
        lookedAt: lookedAt)
    }
  }

  /// The announcements of the query, in its order.
  ///
  /// - Parameter budget: how many are looked at, so that a search for words that stand nowhere ends.
  func list(_ query: AnnouncementListQuery, budget: Int) throws -> AnnouncementList {
    let limit = query.limit ?? .max
    // A client that asks for all reads all.
    var found = Found(limit: limit, budget: query.limit == nil ? .max : budget, last: query.after)
    guard limit > 0 else { return found.list }
    let newestFirst = query.sortBy != .createdAtAscending
    guard let point = query.location else {
      try addByAge(query, newestFirst: newestFirst, to: &found)
      return found.list
    }
    guard query.sortBy == .distanceFromUser else {
      guard let range = query.range else {
        try addByAge(query, newestFirst: newestFirst, to: &found)
        return found.list
      }
      return try inRange(range, of: point, query, newestFirst: newestFirst, found)
    }
    if query.after?.distance != .infinity {
      try addNearest(query, from: point, to: &found)
    }
    if query.range == nil, !found.isFull, !found.isCut {
      if found.last?.distance != .infinity { found.last = nil }
      try addByAge(query, newestFirst: true, withoutPlace: true, to: &found)
    }
    return found.list
  }

  /// Those within a range by age. In a crowd the first thousand hold enough of them; elsewhere there are few.
  private func inRange(
    _ range: Double, of point: Coordinate, _ query: AnnouncementListQuery, newestFirst: Bool,
    _ start: Found
  ) throws -> AnnouncementList {
    func isNear(_ announcement: Announcement) -> Bool {
      announcement.distance(from: point) ?? .infinity <= range
    }
    var found = start
    try addByAge(query, newestFirst: newestFirst, most: 1000, to: &found, where: isNear)
    if found.isFull || !found.isCut { return found.list }
    var places = NearestPlaces(from: point, within: range, look: places)
    var near = [NearestPlaces.Place]()
    while near.count < found.left, let place = try places.next() { near.append(place) }
    guard near.count < found.left else {
      found.isCut = false
      try addByAge(query, newestFirst: newestFirst, to: &found, where: isNear)
      return found.list
    }
    func isBefore(_ one: (Int64, Int64), _ other: (Int64, Int64)) -> Bool {
      newestFirst ? one > other : one < other
    }
    if let after = query.after {
      near.removeAll { !isBefore((after.createdAt, after.number), ($0.createdAt, $0.number)) }
    }
    near.sort { isBefore(($0.createdAt, $0.number), ($1.createdAt, $1.number)) }
    var list = start
    var next = near.makeIterator()
    try addNumbered(query, from: nil, to: &list) { next.next() }
    return list.list
  }

  /// Adds announcements in the order of their age, a part at a time, each from behind the last row of the one
  /// before. No part looks at more than 1000, so what its client left ends within some milliseconds, without
  /// interrupting the database.
  ///
  /// - Parameters:
  ///   - withoutPlace: whether only those without a place are looked at.
  ///   - most: how many are looked at.
  private func addByAge(
    _ query: AnnouncementListQuery, newestFirst: Bool, withoutPlace: Bool = false,
    most: Int = .max, to found: inout Found, where isWanted: (Announcement) -> Bool = { _ in true }
  ) throws {
    let distance = withoutPlace ? Double.infinity : nil
    var looked = 0
    while !found.isFull {
      guard looked < most, found.left > 0, self.isWanted() else { return found.isCut = true }
      // A request that has looked at many in vain looks at more at a time.
      let least = query.filter == nil ? max(found.missing, 16, 2 * looked) : max(200, 2 * looked)
      let count = min(least, 1000, found.left, most - looked)
      let part = try part(
        query.filter, newestFirst: newestFirst, withoutPlace: withoutPlace, count,
        behind: found.last)
      looked += count
      found.lookedAt += count
      for row in part.rows where !found.isFull {
        if let announcement = announcement(row), isWanted(announcement),
          let cursor = Self.cursor(row, distance: distance)
        {
          found.items.append((announcement, cursor))
        }
      }
      guard let end = part.end else { return }
      found.last = AnnouncementCursor(
        distance: distance, createdAt: end.createdAt, number: end.number)
    }
  }

  /// So many rows by age, those of them that the filter lets pass, and the last one if there may be more.
  private func part(
    _ filter: AnnouncementFilter?, newestFirst: Bool, withoutPlace: Bool, _ count: Int,
    behind last: AnnouncementCursor?
  ) throws -> (rows: [ResultRow], end: AnnouncementCursor?) {
    let values =
      [FieldValue(count)] + (last.map { [.int($0.createdAt), .int($0.number)] } ?? [])
    guard let filter else {
      let rows = try t.rows(
        Self.page(newestFirst: newestFirst, withoutPlace: withoutPlace, isFirst: last == nil),
        values)
      let end = rows.count == count ? rows.last.flatMap { Self.cursor($0, distance: nil) } : nil
      return (rows, end)
    }
    let looked = Self.byAge(
      newestFirst: newestFirst, withoutPlace: withoutPlace, isFirst: last == nil)
    let (condition, words) = Self.condition(filter, firstValue: values.count + 1)
    let (rows, ends) = try t.ask(
      Query(
        """
        SELECT \(Self.columns), number FROM announcement WHERE number IN (
          SELECT number FROM (SELECT number, species, search \(looked) LIMIT $1) AS looked
          WHERE \(condition))
        \(Self.order(newestFirst: newestFirst))
        """, values + words, isRepeated: false
      ) { $0.rows },
      Query(
        "SELECT created_at, number \(looked) LIMIT 1 OFFSET $1",
        [FieldValue(count - 1)] + values.dropFirst()
      ) { $0.rows })
    let end = ends.first.flatMap { row in
      row.number(0).flatMap { created in
        row.number(1).map { AnnouncementCursor(createdAt: created, number: $0) }
      }
    }
    return (rows, end)
  }

  /// What is true of a row that the filter lets pass. Folded words have only letters and digits, so that
  /// none of them is a pattern of its own.
  private static func condition(
    _ filter: AnnouncementFilter, firstValue: Int
  ) -> (sql: String, values: [FieldValue]) {
    let values = (filter.speciesID.map { [$0] } ?? []) + filter.words.map { "% \($0)%" }
    let terms = values.indices.map { index in
      let isSpecies = index == 0 && filter.speciesID != nil
      return (isSpecies ? "species =" : "search LIKE") + " $\(firstValue + index)"
    }
    return (terms.joined(separator: " AND "), values.map(FieldValue.text))
  }

  private func addNearest(
    _ query: AnnouncementListQuery, from point: Coordinate, to found: inout Found
  ) throws {
    var places = NearestPlaces(from: point, within: query.range, after: query.after, look: places)
    try addNumbered(query, from: point, to: &found) { try places.next() }
  }

  /// Adds the announcements at these places that the filter lets pass, in their order.
  ///
  /// - Parameter point: what the places lie in the order from; nil for another order.
  private func addNumbered(
    _ query: AnnouncementListQuery, from point: Coordinate?, to found: inout Found,
    _ next: () throws -> NearestPlaces.Place?
  ) throws {
    let filter = query.filter.map { Self.condition($0, firstValue: 1) }
    while !found.isFull {
      guard found.left > 0, isWanted() else { return found.isCut = true }
      var batch: [NearestPlaces.Place] = []
      let count = filter == nil ? min(found.missing, 200) : 200
      while batch.count < count, let place = try next() { batch.append(place) }
      if batch.isEmpty { return }
      found.lookedAt += batch.count * (filter == nil ? 1 : Self.costOfNumber)
      let byNumber = try rows(of: batch.map(\.number), where: filter?.sql, filter?.values ?? [])
      for place in batch where !found.isFull {
        let cursor = AnnouncementCursor(
          distance: point?.distance(to: place.coordinate), createdAt: place.createdAt,
          number: place.number)
        found.last = cursor
        if let row = byNumber[place.number], let announcement = announcement(row) {
          found.items.append((announcement, cursor))
        }
      }
    }
  }

  /// The announcements of these numbers that are listed still, in their order.
  func listed(_ numbers: [Int64]) throws -> [Announcement] {
    let byNumber = try rows(of: numbers, where: Self.isListed)
    return numbers.compactMap { byNumber[$0].flatMap(announcement) }
  }

  private func rows(
    of numbers: [Int64], where condition: String?, _ values: [FieldValue] = []
  ) throws -> [Int64: ResultRow] {
    let rows = try t.rows(
      """
      SELECT \(Self.columns), number FROM announcement
      WHERE number IN (\(numbers.map(String.init).joined(separator: ", ")))
        \(condition.map { "AND " + $0 } ?? "")
      """, values, isRepeated: false)
    return Dictionary(
      rows.compactMap { row in Self.cursor(row, distance: nil).map { ($0.number, row) } },
      uniquingKeysWith: { one, _ in one })
  }
}
