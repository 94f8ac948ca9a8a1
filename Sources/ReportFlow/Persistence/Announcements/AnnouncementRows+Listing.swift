import Announcements
import PhotoAttachments
import PhotoModel

/// Lists the announcements that match a query. Lists contain open announcements with a photo and are read through the
/// database's indexes. Invalid rows are skipped.
extension AnnouncementRows {
  /// The cost of looking up a row by its number. Reading a row in a scan by age costs 1.
  private static let costOfNumber = 4

  /// A list that is being filled. It collects one announcement more than `limit` to detect that there is a next page.
  private struct Found {
    let limit: Int
    let budget: Int
    /// The search terms, or `nil` without a search.
    let terms: [AnnouncementWords.Term]?
    var items: [(announcement: Announcement, cursor: AnnouncementCursor)] = []
    var lookedAt = 0
    /// The last row that was examined.
    var last: AnnouncementCursor?
    /// `true` if the search stopped before it found enough announcements or reached the end.
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

  /// Returns the announcements that match the query, in its order.
  ///
  /// - Parameter budget: the maximum number of examined rows, which bounds searches for words that rarely occur
  ///   together.
  func list(_ query: AnnouncementListQuery, budget: Int) throws -> AnnouncementList {
    guard query.limit ?? .max > 0 else { return AnnouncementList([]) }
    guard let filter = query.filter else { return try list(query, nil, budget: budget) }
    guard let terms = try AnnouncementWords.terms(filter, t) else { return AnnouncementList([]) }
    guard let others = AnnouncementWords.others(terms) else {
      return try list(query, terms, budget: budget)
    }
    // The announcements that match less surely follow those that match.
    var list = AnnouncementList([])
    var rest = query
    if query.after?.isLessSure != true {
      list = try self.list(query, terms, budget: budget)
      if list.next != nil || list.isIncomplete { return list }
      rest = query.part(limit: query.limit.map { $0 - list.announcements.count }, after: nil)
      if rest.limit == 0 {
        list.next = .beforeAll(of: query)
        return list
      }
    }
    let more = try self.list(rest, others, budget: budget)
    list.announcements += more.announcements
    list.numbers += more.numbers
    list.lookedAt += more.lookedAt
    list.isIncomplete = more.isIncomplete
    list.next = more.next
    list.next?.isLessSure = true
    return list
  }

  /// Returns the announcements that match the query and the terms of its search.
  private func list(
    _ query: AnnouncementListQuery, _ terms: [AnnouncementWords.Term]?, budget: Int
  ) throws -> AnnouncementList {
    let limit = query.limit ?? .max
    // A request for all announcements reads all rows.
    let allowed = query.limit == nil ? .max : budget
    var found = Found(limit: limit, budget: allowed, terms: terms, last: query.after)
    // This is `nil` if all words are common. The first rows of the list then contain enough matches.
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

  /// Adds the announcements with these numbers that match the query, in its order.
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
      let first = (one.createdAt, one.number)
      let second = (other.createdAt, other.number)
      return query.sortBy == .createdAtAscending ? first < second : first > second
    }
    if let after = query.after { places.removeAll { !isBefore(after, $0) } }
    places.sort(by: isBefore)
    var next = places.makeIterator()
    try addNumbered(to: &found) { next.next() }
  }

  /// Returns the announcements within a range, by age. In a crowded area the first 1,000 rows contain enough of them.
  /// Elsewhere few announcements are within the range, so they are found by place.
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
    // Start over with the remaining budget.
    found.items = []
    found.last = start.last
    found.isCut = false
    var next = near.makeIterator()
    try addNumbered(to: &found) {
      next.next().map { AnnouncementCursor(createdAt: $0.createdAt, number: $0.number) }
    }
    return found.list
  }

  /// Adds announcements by age, in batches that each continue after the last row of the previous one. A batch examines
  /// at most 1,000 rows, so a request whose client has left ends within milliseconds, without interrupting the
  /// database.
  ///
  /// - Parameters:
  ///   - withoutPlace: examines only announcements without a place.
  ///   - most: the maximum number of rows to examine.
  private func addByAge(
    _ query: AnnouncementListQuery, newestFirst: Bool, withoutPlace: Bool = false,
    most: Int = .max, to found: inout Found, where isMatch: (Announcement) -> Bool = { _ in true }
  ) throws {
    let distance = withoutPlace ? Double.infinity : nil
    var looked = 0
    while !found.isFull {
      guard looked < most, found.left > 0, !isCancelled() else { return found.isCut = true }
      // If matches are rare, the batches grow.
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

  /// Examines the next `count` rows by age. Returns those that match the terms, and the last one if there may be more.
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
    let (rows, ends) = try t.fetch(
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

  /// Adds the announcements at these positions of the list that contain all search terms, in order.
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

  /// Returns the announcements with these numbers that are still listed, in the order of the numbers.
  func selectListed(_ numbers: [Int64]) throws -> [Announcement] {
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
