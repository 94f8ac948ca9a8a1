import Announcements
import Foundation
import Testing

@Suite struct CoordinateTests {
  @Test(arguments: [(90.0, 180.0), (-90, -180), (0, 0), (52.2297, 21.0122)])
  func rangesAreInclusive(latitude: Double, longitude: Double) {
    #expect(Coordinate(latitude: latitude, longitude: longitude) != nil)
  }

  @Test(arguments: [
    (90.0001, 0.0), (-91, 0), (0, 180.0001), (0, -181), (.nan, 0), (0, .infinity), (0, -.nan),
  ])
  func otherNumbersAreNoPoint(latitude: Double, longitude: Double) {
    #expect(Coordinate(latitude: latitude, longitude: longitude) == nil)
  }

  @Test func knownDistances() throws {
    let warsaw = try #require(Coordinate(latitude: 52.2297, longitude: 21.0122))
    let krakow = try #require(Coordinate(latitude: 50.0647, longitude: 19.9450))
    let sydney = try #require(Coordinate(latitude: -33.8688, longitude: 151.2093))
    #expect(abs(warsaw.distance(to: krakow) - 252.0) < 0.5)
    #expect(abs(warsaw.distance(to: sydney) - 15_586) < 20)
    #expect(warsaw.distance(to: krakow) == krakow.distance(to: warsaw))
  }

  /// The shipped server's cosine formula lost announcements at the reader's own place (lesson P25).
  @Test func ownPointHasDistanceZeroAndOppositePointsHaveANumber() throws {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<4000 {
      let latitude = Double.random(in: -90...90, using: &generator)
      let longitude = Double.random(in: -180...0, using: &generator)
      let point = try #require(Coordinate(latitude: latitude, longitude: longitude))
      let opposite = try #require(Coordinate(latitude: -latitude, longitude: longitude + 180))
      #expect(point.distance(to: point) == 0)
      let half = point.distance(to: opposite)
      #expect(abs(half - .pi * Coordinate.earthRadius) < 0.01, "\(point)")
    }
  }
}
