package import Announcements
import Foundation

/// A rectangle of the earth that halves in both directions with every level: level 0 is the whole
/// earth, level 26 less than a meter. Its code interleaves the bits of longitude and latitude, so
/// that all places in a cell have neighboring codes, which an ordinary index finds.
package struct GeoCell: Equatable {
  /// The deepest level.
  package static let deepest = 26

  /// How often it was halved.
  package let level: Int
  /// Column and row, from 0 at the west and at the south.
  package let x, y: Int64

  /// Level 0.
  package static let earth = Self(level: 0, x: 0, y: 0)

  /// The code of the deepest cell that holds the place.
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

  /// The codes of all places in the cell.
  package var codes: Range<Int64> {
    let shift = 2 * (Self.deepest - level)
    return (code << shift)..<((code + 1) << shift)
  }

  /// The four cells of the next level.
  package var quarters: [Self] {
    [(0, 0), (1, 0), (0, 1), (1, 1)].map { Self(level: level + 1, x: 2 * x + $0, y: 2 * y + $1) }
  }

  /// The way from `point` to the nearest point of the cell in kilometers; a little less than it, so
  /// that rounding never puts the cell behind a place inside it.
  package func distance(from point: Coordinate) -> Double {
    let (width, height) = (360 / Double(1 << level), 180 / Double(1 << level))
    let (west, south) = (Double(x) * width - 180, Double(y) * height - 90)
    let (east, north) = (west + width, south + height)
    let nearest: Double
    if (west...east).contains(point.longitude) {
      let degrees = max(0, south - point.latitude, point.latitude - north)
      nearest = degrees * .pi / 180 * Coordinate.earthRadius
    } else {
      // On every parallel the nearest point lies on one of the two meridians.
      nearest = min(
        Self.distance(from: point, toMeridian: west, south...north),
        Self.distance(from: point, toMeridian: east, south...north))
    }
    return max(0, nearest * (1 - 1e-9) - 1e-3)
  }

  /// The way from `point` to the farthest point of the cell, or a little more: the farthest from a point is
  /// the nearest to the point on the other side of the earth.
  package func farthest(from point: Coordinate) -> Double {
    let otherSide = Coordinate(
      latitude: -point.latitude, longitude: point.longitude + (point.longitude > 0 ? -180 : 180))
    return otherSide.map { .pi * Coordinate.earthRadius - distance(from: $0) } ?? .infinity
  }

  /// The distance to the nearest point of a piece of a meridian. That point is where the whole
  /// meridian comes nearest, when the piece holds it, and else one of the ends, because along the
  /// meridian the cosine of the distance is a sine wave.
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
