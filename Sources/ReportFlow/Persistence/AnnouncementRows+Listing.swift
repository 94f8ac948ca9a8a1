import Announcements

/// Finds the announcements of a query, open ones that have their photo, through the indexes of the
/// database. Rows that break a rule are skipped, and the list goes on to the next one.
extension AnnouncementRows {
  /// The announcements of the query, in its order.
  func announcements(matching query: AnnouncementListQuery) throws -> [Announcement] {
    let limit = query.limit ?? .max
    guard limit > 0 else { return [] }
    let newestFirst = query.sortBy != .createdAtAscending
    if let filter = query.filter { return try found(filter, query, limit) }
    guard let point = query.location else {
      return try all(limit, newestFirst: newestFirst)
    }
    if query.sortBy == .distanceFromUser {
      var places = NearestPlaces(from: point, within: query.range, look: places)
      let nearby = try numbered(limit) { try places.next()?.number }
      guard query.range == nil, nearby.count < limit else { return nearby }
      return try nearby + all(limit - nearby.count, newestFirst: true, withoutPlace: true)
    }
    guard let range = query.range else { return try all(limit, newestFirst: newestFirst) }
    // In a crowd the first thousand hold enough of those nearby; elsewhere there are few.
    let list = try inOrder(limit, newestFirst: newestFirst, withoutPlace: false, most: 1000) {
      ($0.distance(from: point) ?? .infinity) <= range
    }
    if list.count == limit { return list }
    var places = NearestPlaces(from: point, within: range, look: places)
    var found = [NearestPlaces.Place]()
    while let place = try places.next() { found.append(place) }
    found.sort {
      let isNewer = ($0.createdAt, $0.number) > ($1.createdAt, $1.number)
      return newestFirst ? isNewer : !isNewer
    }
    var numbers = found.lazy.map(\.number).makeIterator()
    return try numbered(limit) { numbers.next() }
  }

  /// How many announcements a search looks at, the first ones of its order, so that one of words that
  /// stand nowhere ends.
  private var searched: Int { 20_000 }

  private func found(
    _ filter: AnnouncementFilter, _ query: AnnouncementListQuery, _ limit: Int
  ) throws -> [Announcement] {
    let range = query.location == nil ? nil : query.range
    guard query.sortBy == .distanceFromUser, let point = query.location else {
      return try inOrder(
        limit, newestFirst: query.sortBy != .createdAtAscending, withoutPlace: false, most: searched
      ) { announcement in
        filter.matches(announcement)
          && range.map { announcement.distance(from: query.location) ?? .infinity <= $0 } ?? true
      }
    }
    var places = NearestPlaces(from: point, within: range, look: places)
    var (nearby, looked, isEnd) = ([Announcement](), 0, false)
    while nearby.count < limit, looked < searched, !isEnd {
      let batch = try numbered(200) { try places.next()?.number }
      nearby += batch.filter(filter.matches)
      looked += batch.count
      isEnd = batch.count < 200
    }
    guard range == nil, nearby.count < limit, isEnd else { return Array(nearby.prefix(limit)) }
    return try nearby
      + inOrder(
        limit - nearby.count, newestFirst: true, withoutPlace: true, most: searched,
        where: filter.matches)
  }

  private func all(
    _ limit: Int, newestFirst: Bool, withoutPlace: Bool = false
  ) throws -> [Announcement] {
    try inOrder(limit, newestFirst: newestFirst, withoutPlace: withoutPlace, most: nil) { _ in true
    }
  }
}
