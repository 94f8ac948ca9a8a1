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

  /// Both landing lists are found through an index, also among 100,000.
  @Test func theLandingListsScanNothing() throws {
    let cache = try TestCache()
    let plans = try cache.database.catalog.read { database in
      try [
        """
        SELECT * FROM announcement WHERE closed_at IS NULL AND photo_id IS NOT NULL
        ORDER BY created_at DESC, number DESC
        """,
        """
        SELECT * FROM announcement
        WHERE closed_at IS NULL AND photo_id IS NOT NULL AND cell IS NULL
        ORDER BY created_at DESC, number DESC
        """,
        """
        SELECT number, created_at, latitude, longitude FROM announcement
        WHERE closed_at IS NULL AND photo_id IS NOT NULL AND cell IS NOT NULL
          AND cell >= 1 AND cell < 2 LIMIT 17
        """,
      ].map { sql in
        try Row.fetchAll(database, sql: "EXPLAIN QUERY PLAN \(sql)").map { $0["detail"] as String }
          .joined(separator: "; ")
      }
    }
    #expect(plans[0].contains("USING INDEX announcement_listed_by_age"))
    #expect(plans[1].contains("USING INDEX announcement_listed_without_place"))
    #expect(
      plans[2].contains("USING COVERING INDEX announcement_listed_by_cell (cell>? AND cell<?)"))
    for plan in plans { #expect(!plan.contains("TEMP B-TREE"), "\(plan)") }
  }
}

/// Stores announcements without the cost of their passwords.
func insertAnnouncements(_ places: [Coordinate], into cache: TestCache) async throws {
  let photo = try await cache.albumPhoto()
  try cache.database.catalog.write { database in
    let row = try database.makeStatement(
      sql: """
        INSERT INTO announcement (id, idempotency_key, species, status, latitude, longitude, cell,
          contact_name, contact_phone, created_at, updated_at, password_hash, photo_id)
        VALUES (?1, ?1, 'dog', 'Lost', ?2, ?3, ?4, 'Ola', '1234567', ?5, ?5, '', ?6)
        """)
    for (index, point) in places.enumerated() {
      try row.execute(
        arguments: [
          UUID().uuidString, point.latitude, point.longitude, GeoCell.code(of: point), index,
          photo.id.uuidString,
        ])
    }
  }
}

@Suite struct GeoCellTests {
  @Test func quartersDivideACell() {
    let quarters = GeoCell.earth.quarters
    #expect(GeoCell.earth.codes == 0..<(1 << 52))
    #expect(quarters.map(\.codes.count).allSatisfy { $0 == 1 << 50 })
    #expect(quarters.map(\.codes.lowerBound) == [0, 1 << 50, 2 << 50, 3 << 50])
    #expect(
      quarters.flatMap(\.quarters).map(\.codes.lowerBound).sorted() == (0..<16).map { $0 << 48 })
  }

  /// A place lies in one cell of each level, and no place in a cell is nearer than the cell.
  @Test func noPlaceIsNearerThanItsCell() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var generator = SeededGenerator(state: seed)
    func anywhere() -> Coordinate {
      let edge = [90.0, -90, 0].randomElement(using: &generator)!
      return point(
        Bool.random(using: &generator) ? .random(in: -90...90, using: &generator) : edge,
        Bool.random(using: &generator) ? .random(in: -180...180, using: &generator) : edge * 2)
    }
    for _ in 0..<300 {
      let (place, reader) = (anywhere(), anywhere())
      let code = GeoCell.code(of: place)
      var cell = GeoCell.earth
      while cell.level < GeoCell.deepest {
        let holders = cell.quarters.filter { $0.codes.contains(code) }
        #expect(holders.count == 1, "seed \(seed)")
        cell = holders[0]
        #expect(
          cell.distance(from: reader) <= reader.distance(to: place),
          "seed \(seed), reader \(reader), place \(place), level \(cell.level)")
      }
      // The deepest cell is smaller than a meter, so its distance is the place's.
      #expect(reader.distance(to: place) - cell.distance(from: reader) < 0.003, "seed \(seed)")
    }
  }
}
