import Announcements
import ReportFlow
import TestPictures
import TestReports
import Testing

@testable import PhotoStoreSQLite

@Suite struct GeoCellTests {
  @Test func quartersDivideACell() {
    let quarters = GeoCell.earth.quarters
    #expect(GeoCell.earth.codes == 0..<(1 << 52))
    #expect(quarters.map(\.codes.count).allSatisfy { $0 == 1 << 50 })
    #expect(quarters.map(\.codes.lowerBound) == [0, 1 << 50, 2 << 50, 3 << 50])
    #expect(
      quarters.flatMap(\.quarters).map(\.codes.lowerBound).sorted() == (0..<16).map { $0 << 48 })
  }

  /// A place is in one cell of each level, and no place in a cell is nearer than the cell.
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
      // The deepest cell is smaller than a meter, so it has the same distance as the place.
      #expect(reader.distance(to: place) - cell.distance(from: reader) < 0.003, "seed \(seed)")
    }
  }
}
