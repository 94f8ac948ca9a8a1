import Announcements
import Foundation
import GRDB
import PhotoAttachments
import Testing

@testable import ReportFlow

@Suite struct NearestTests {
  /// The index gives what a scan of everything would give, everywhere on earth: at the poles, at
  /// the meridian 180, in crowds and in deserts. The seed is in every message.
  @Test func theIndexAgreesWithAScan() async throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var generator = SeededGenerator(state: seed)
    let cache = try TestCache()
    var places: [Coordinate] = [point(90, 0), point(-90, 10), point(0, 180), point(0, -180)]
    for _ in 0..<400 {
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
    try insert(places, into: cache)
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

  /// Both landing lists are found through an index, also among 100,000.
  @Test func theLandingListsScanNothing() throws {
    let cache = try TestCache()
    let plans = try cache.database.catalog.read { database in
      try [
        """
        SELECT * FROM announcement WHERE closed_at IS NULL
        ORDER BY created_at DESC, number DESC
        """,
        """
        SELECT * FROM announcement WHERE closed_at IS NULL AND latitude IS NULL
        ORDER BY created_at DESC, number DESC
        """,
        """
        SELECT number, latitude, longitude, created_at FROM announcement_place
        WHERE south <= 1 AND north >= 0 AND west <= 1 AND east >= 0
        """,
      ].map { sql in
        try Row.fetchAll(database, sql: "EXPLAIN QUERY PLAN \(sql)").map { $0["detail"] as String }
          .joined(separator: "; ")
      }
    }
    #expect(plans[0].contains("USING INDEX announcement_open_by_age"))
    #expect(plans[1].contains("USING INDEX announcement_open_without_place"))
    #expect(plans[2].contains("VIRTUAL TABLE INDEX 2:"))
    for plan in plans { #expect(!plan.contains("TEMP B-TREE"), "\(plan)") }
  }

  private func insert(_ places: [Coordinate], into cache: TestCache) throws {
    try insertAnnouncements(places, into: cache)
  }
}

/// Stores announcements without the cost of their passwords.
func insertAnnouncements(_ places: [Coordinate], into cache: TestCache) throws {
  try cache.database.catalog.write { database in
    let row = try database.makeStatement(
      sql: """
        INSERT INTO announcement (id, idempotency_key, species, status, latitude, longitude,
          contact_name, contact_phone, created_at, updated_at, password_hash)
        VALUES (?1, ?1, 'dog', 'Lost', ?2, ?3, 'Ola', '1234567', ?4, ?4, '')
        """)
    let place = try database.makeStatement(
      sql: "INSERT INTO announcement_place VALUES (?1, ?2, ?2, ?3, ?3, ?2, ?3, ?4)")
    for (index, point) in places.enumerated() {
      try row.execute(
        arguments: [UUID().uuidString, point.latitude, point.longitude, index])
      try place.execute(
        arguments: [database.lastInsertedRowID, point.latitude, point.longitude, index])
    }
  }
}

@Suite struct GeoBoxTests {
  @Test func aSmallCircleHasOneBox() {
    let boxes = GeoBox.around(point(52, 21), radius: 10)
    #expect(boxes.count == 1)
    #expect(abs(boxes[0].north - boxes[0].south - 0.17986) < 0.0001)
    #expect(boxes[0].west < 20.86 && boxes[0].east > 21.14)
  }

  @Test func acrossTheMeridian180ThereAreTwo() {
    let boxes = GeoBox.around(point(0, 179.99), radius: 10)
    #expect(boxes.count == 2)
    #expect(boxes[0].east == 180 && boxes[1].west == -180)
    #expect(GeoBox.around(point(0, -179.99), radius: 10).count == 2)
  }

  @Test func aroundAPoleAllLongitudes() {
    let boxes = GeoBox.around(point(89.99, 0), radius: 10)
    #expect(boxes.map(\.west) == [-180] && boxes.map(\.east) == [180])
    #expect(boxes.map(\.north) == [90])
  }
}
