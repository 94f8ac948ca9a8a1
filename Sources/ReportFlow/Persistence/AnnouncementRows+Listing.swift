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
    /// What is searched for; nil for no search.
    let terms: [AnnouncementWords.Term]?
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
    let allowed = query.limit == nil ? .max : budget
    let nothing = Found(limit: limit, budget: allowed, terms: nil, last: query.after)
    guard limit > 0 else { return nothing.list }
    var terms: [AnnouncementWords.Term]?
    if let filter = query.filter {
      terms = try AnnouncementWords.terms(filter, t)
      if terms == nil { return nothing.list }
    }
    var found = Found(limit: limit, budget: allowed, terms: terms, last: query.after)
    // Where all of the words are common, the first rows of the list hold enough of them.
    if let terms, let few = try AnnouncementWords.announcements(with: terms, most: budget / 8, t) {
      try add(few, query, to: &found)
      return found.list
    }
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

  /// Adds those of the announcements that have every word, in the query's order.
  private func add(
    _ numbers: Set<Int64>, _ query: AnnouncementListQuery, to found: inout Found
  ) throws {
    if numbers.isEmpty { return }
    let rows = try t.rows(
      """
      SELECT number, created_at, latitude, longitude FROM announcement
      WHERE number IN (\(numbers.map(String.init).joined(separator: ", "))) AND \(Self.isListed)
      """, isRepeated: false)
    let point = query.location
    let byDistance = query.sortBy == .distanceFromUser
    var places = rows.compactMap { row -> AnnouncementCursor? in
      guard let number = row.number(0), let created = row.number(1) else { return nil }
      var place: Coordinate?
      if let latitude = row.double(2), let longitude = row.double(3) {
        place = Coordinate(latitude: latitude, longitude: longitude)
      }
      let distance = point.flatMap { point in place.map { point.distance(to: $0) } } ?? .infinity
      if point != nil, let range = query.range, !(distance <= range) { return nil }
      return AnnouncementCursor(
        distance: byDistance ? distance : nil, createdAt: created, number: number)
    }
    func isBefore(_ one: AnnouncementCursor, _ other: AnnouncementCursor) -> Bool {
      if let near = one.distance, let far = other.distance, near != far { return near < far }
      let (first, second) = ((one.createdAt, one.number), (other.createdAt, other.number))
      return query.sortBy == .createdAtAscending ? first < second : first > second
    }
    if let after = query.after { places.removeAll { !isBefore(after, $0) } }
    places.sort(by: isBefore)
    var next = places.makeIterator()
    try addNumbered(to: &found) { next.next() }
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
    var places = NearestPlaces(from: point, within: range, look: placesInCells)
    var near = [NearestPlaces.Place]()
    while near.count < found.left, !isCancelled(), let place = try places.next() {
      near.append(place)
    }
    guard !isCancelled() else { return found.list }
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
    // Again from the beginning, with what is left to look at.
    found.items = []
    found.last = start.last
    found.isCut = false
    var next = near.makeIterator()
    try addNumbered(to: &found) {
      next.next().map { AnnouncementCursor(createdAt: $0.createdAt, number: $0.number) }
    }
    return found.list
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
    most: Int = .max, to found: inout Found, where isMatch: (Announcement) -> Bool = { _ in true }
  ) throws {
    let distance = withoutPlace ? Double.infinity : nil
    var looked = 0
    while !found.isFull {
      guard looked < most, found.left > 0, !isCancelled() else { return found.isCut = true }
      // A request that has looked at many in vain looks at more at a time.
      let least = found.terms == nil ? max(found.missing, 16, 2 * looked) : max(200, 2 * looked)
      let count = min(least, 1000, found.left, most - looked)
      let part = try part(
        found.terms, newestFirst: newestFirst, withoutPlace: withoutPlace, count,
        behind: found.last)
      looked += count
      found.lookedAt += count
      for row in part.rows where !found.isFull {
        if let announcement = announcement(row), isMatch(announcement),
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
    _ terms: [AnnouncementWords.Term]?, newestFirst: Bool, withoutPlace: Bool, _ count: Int,
    behind last: AnnouncementCursor?
  ) throws -> (rows: [ResultRow], end: AnnouncementCursor?) {
    let values =
      [FieldValue(count)] + (last.map { [.int($0.createdAt), .int($0.number)] } ?? [])
    guard let terms else {
      let rows = try t.rows(
        Self.page(newestFirst: newestFirst, withoutPlace: withoutPlace, isFirst: last == nil),
        values)
      let end = rows.count == count ? rows.last.flatMap { Self.cursor($0, distance: nil) } : nil
      return (rows, end)
    }
    let looked = Self.byAge(
      newestFirst: newestFirst, withoutPlace: withoutPlace, isFirst: last == nil)
    let (condition, words) = AnnouncementWords.condition(terms, firstValue: values.count + 1)
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

  private func addNearest(
    _ query: AnnouncementListQuery, from point: Coordinate, to found: inout Found
  ) throws {
    var places = NearestPlaces(
      from: point, within: query.range, after: query.after, look: placesInCells)
    try addNumbered(to: &found) {
      try places.next().map {
        AnnouncementCursor(
          distance: point.distance(to: $0.coordinate), createdAt: $0.createdAt, number: $0.number)
      }
    }
  }

  /// Adds the announcements that stand at these places of the list and have every word that is searched for, in
  /// their order.
  private func addNumbered(
    to found: inout Found, _ next: () throws -> AnnouncementCursor?
  ) throws {
    let filter = found.terms.map { AnnouncementWords.condition($0, firstValue: 1) }
    while !found.isFull {
      guard found.left > 0, !isCancelled() else { return found.isCut = true }
      var batch: [AnnouncementCursor] = []
      let count = filter == nil ? min(found.missing, 200) : 200
      while batch.count < count, let place = try next() { batch.append(place) }
      if batch.isEmpty { return }
      found.lookedAt += batch.count * (filter == nil ? 1 : Self.costOfNumber)
      let byNumber = try rows(of: batch.map(\.number), where: filter?.sql, filter?.values ?? [])
      for place in batch where !found.isFull {
        found.last = place
        if let row = byNumber[place.number], let announcement = announcement(row) {
          found.items.append((announcement, place))
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
