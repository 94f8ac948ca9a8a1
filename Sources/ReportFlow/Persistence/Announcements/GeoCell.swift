package import Announcements
import Foundation

/// A rectangle of the earth's surface. Each level halves it in both directions, from the whole earth at level 0 to less
/// than a meter at level 26. Its code interleaves the bits of longitude and latitude, so that all places in a cell have
/// consecutive codes and an ordinary index finds them.
package struct GeoCell: Equatable {
  /// The deepest level.
  package static let deepest = 26

  /// The number of halvings.
  package let level: Int
  /// The column from the west and the row from the south, starting at 0.
  package let x, y: Int64

  package static let earth = Self(level: 0, x: 0, y: 0)

  /// Returns the code of the deepest cell that contains the place.
  package static func code(of place: Coordinate) -> Int64 {
    func index(_ share: Double) -> Int64 {
      min(Int64(share * Double(1 << deepest)), (1 << deepest) - 1)
    }
    return Self(
      level: deepest, x: index((place.longitude + 180) / 360), y: index((place.latitude + 90) / 180)
    ).code
  }

  private var code: Int64 {
    (0..<level).reduce(0) { $0 | (x >> $1 & 1) << (2 * $1) | (y >> $1 & 1) << (2 * $1 + 1) }
  }

  /// The range of the codes of all places in the cell.
  package var codes: Range<Int64> {
    let shift = 2 * (Self.deepest - level)
    return (code << shift)..<((code + 1) << shift)
  }

  /// The four cells of the next level.
  package var quarters: [Self] {
    [(0, 0), (1, 0), (0, 1), (1, 1)].map { Self(level: level + 1, x: 2 * x + $0, y: 2 * y + $1) }
  }

  /// Returns the distance from `point` to the nearest point of the cell in kilometers. It's slightly too small, so that
  /// rounding never makes the cell farther than a place in it.
  package func distance(from point: Coordinate) -> Double {
    let width = 360 / Double(1 << level)
    let height = 180 / Double(1 << level)
    let west = Double(x) * width - 180
    let south = Double(y) * height - 90
    let east = west + width
    let north = south + height
    let nearest: Double
    if (west...east).contains(point.longitude) {
      let degrees = max(0, south - point.latitude, point.latitude - north)
      nearest = degrees * .pi / 180 * Coordinate.earthRadius
    } else {
      // The nearest point of every parallel lies on one of the two meridians.
      nearest = min(
        Self.distance(from: point, toMeridian: west, south...north),
        Self.distance(from: point, toMeridian: east, south...north))
    }
    return max(0, nearest * (1 - 1e-9) - 1e-3)
  }

  /// Returns the distance from `point` to the farthest point of the cell in kilometers, or slightly more. The farthest
  /// point is the nearest one to the antipode of `point`.
  package func farthest(from point: Coordinate) -> Double {
    let otherSide = Coordinate(
      latitude: -point.latitude, longitude: point.longitude + (point.longitude > 0 ? -180 : 180))
    return otherSide.map { .pi * Coordinate.earthRadius - distance(from: $0) } ?? .infinity
  }

  /// Returns the distance to the nearest point of a segment of a meridian. This is the nearest point of the whole
  /// meridian if the segment contains it, or otherwise one of the ends, because the cosine of the distance along a
  /// meridian is a sine wave.
  private static func distance(
    from point: Coordinate, toMeridian longitude: Double, _ latitudes: ClosedRange<Double>
  ) -> Double {
    let radians = Double.pi / 180
    let latitude = point.latitude * radians
    let crest =
      atan2(sin(latitude), cos(latitude) * cos((longitude - point.longitude) * radians)) / radians
    let candidates =
      [latitudes.lowerBound, latitudes.upperBound]
      + (latitudes.contains(crest) ? [crest] : [])
    return candidates.compactMap { Coordinate(latitude: $0, longitude: longitude) }
      .map { point.distance(to: $0) }.min() ?? 0
  }
}
