import Announcements
import Foundation
import GRDB
import PhotoAttachments
import PhotoIngestion
import Synchronization
import TestPictures
import TestReports
import Testing

@testable import PhotoStoreSQLite
@testable import ReportFlow

@Suite struct NearestPlacesTests {
  /// The index finds the same as a full scan, everywhere on earth: at the poles, at the meridian 180, and in dense and
  /// empty areas. Every message has the seed.
  @Test func theIndexAgreesWithAScan() async throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var generator = SeededGenerator(state: seed)
    let cache = try TestCache()
    var places: [Coordinate] = [point(90, 0), point(-90, 10), point(0, 180), point(0, -180)]
    for _ in 0..<200 {
      places.append(
        point(
          .random(in: -90...90, using: &generator), .random(in: -180...180, using: &generator)))
      places.append(
        point(
          .random(in: 52.1...52.3, using: &generator), .random(in: 20.9...21.1, using: &generator)))
      places.append(
        point(
          .random(in: -1...1, using: &generator),
          .random(in: 179...180, using: &generator) * (Bool.random(using: &generator) ? 1 : -1)))
    }
    try await insertAnnouncements(places, into: cache)
    let repository = cache.repository()
    let readers =
      [point(90, 0), point(-90, 0), point(89.99, 50), point(0, 180), point(0, -179.9)]
      + (0..<40).map { _ in
        point(
          .random(in: -90...90, using: &generator), .random(in: -180...180, using: &generator))
      } + places.prefix(20)
    for reader in readers {
      for range in [nil, 30, 3000.0] {
        let list = try await repository.announcements(
          matching: AnnouncementListQuery(
            limit: 7, sortBy: .distanceFromUser, location: reader, range: range))
        let found = list.compactMap { $0.distance(from: reader) }
        let expected = places.map { reader.distance(to: $0) }.sorted()
          .filter { $0 <= range ?? .infinity }.prefix(7)
        #expect(found == Array(expected), "seed \(seed), reader \(reader), range \(range ?? -1)")
      }
    }
  }

  /// The search checks for cancellation before each place that is near.
  @Test func aSearchWithinARangeEndsWithItsClient() async throws {
    let cache = try TestCache()
    try await insertAnnouncements((0..<30).map { point(52 + Double($0) / 1000, 21) }, into: cache)
    let query = AnnouncementListQuery(limit: 100, location: point(52, 21), range: 50)
    let asked = Mutex(0)
    let list = try await cache.repository().database.reading(.search) { t in
      let rows = AnnouncementRows(
        t: t, logger: cache.logger,
        isCancelled: {
          // The first check is that of the search by age.
          asked.withLock {
            $0 += 1
            return $0 == 1
          }
        })
      return try rows.list(query, budget: 1000)
    }
    #expect(list.announcements.count == 30)
    #expect(asked.withLock { $0 } > 30)
  }

  /// Both lists of the landing page are found through an index, even among 100,000 announcements.
  @Test func theLandingListsScanNothing() throws {
    let cache = try TestCache()
    let plans = try cache.database.read { database in
      try [
        AnnouncementRows.page(newestFirst: true, withoutPlace: false, isFirst: true),
        AnnouncementRows.page(newestFirst: true, withoutPlace: false, isFirst: false),
        AnnouncementRows.page(newestFirst: true, withoutPlace: true, isFirst: true),
        AnnouncementRows.page(newestFirst: false, withoutPlace: true, isFirst: false),
        AnnouncementRows.inCells,
      ].map { sql in
        let text = sql.replacing(/\$[1-3]/, with: "17")
        return try Row.fetchAll(database, sql: "EXPLAIN QUERY PLAN \(text)")
          .map { $0["detail"] as String }.joined(separator: "; ")
      }
    }
    for plan in plans[0...1] { #expect(plan.contains("USING INDEX announcement_listed_by_age")) }
    for plan in plans[2...3] {
      #expect(plan.contains("USING INDEX announcement_listed_without_place"))
    }
    #expect(
      plans[4].contains("USING COVERING INDEX announcement_listed_by_cell (cell>? AND cell<?)"))
    for plan in plans { #expect(!plan.contains("TEMP B-TREE"), "\(plan)") }
  }
}
