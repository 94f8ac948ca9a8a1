/// A 3×3 matrix in rows, for computing colorants from primaries.
struct Matrix3 {
  var rows: [[Double]]

  init(_ rows: [[Double]]) { self.rows = rows }

  init(diagonal: [Double]) {
    rows = (0..<3).map { row in (0..<3).map { $0 == row ? diagonal[row] : 0 } }
  }

  static func * (left: Matrix3, right: [Double]) -> [Double] {
    left.rows.map { row in row[0] * right[0] + row[1] * right[1] + row[2] * right[2] }
  }

  static func * (left: Matrix3, right: Matrix3) -> Matrix3 {
    let columns = (0..<3).map { column in left * right.rows.map { $0[column] } }
    return Matrix3((0..<3).map { row in columns.map { $0[row] } })
  }

  /// The inverse, or `nil` if it doesn't exist or its numbers would not fit into a profile.
  var inverse: Matrix3? {
    func minor(_ row: Int, _ column: Int) -> Double {
      let r1 = (row + 1) % 3
      let r2 = (row + 2) % 3
      let c1 = (column + 1) % 3
      let c2 = (column + 2) % 3
      return rows[r1][c1] * rows[r2][c2] - rows[r1][c2] * rows[r2][c1]
    }
    let determinant = (0..<3).reduce(0) { $0 + rows[0][$1] * minor(0, $1) }
    guard determinant.isFinite, abs(determinant) > 1e-6 else { return nil }
    return Matrix3((0..<3).map { row in (0..<3).map { minor($0, row) / determinant } })
  }

  /// `true` if primaries with these colorants can produce colors outside of sRGB. Such colors have negative values in
  /// linear sRGB.
  var exceedsSRGB: Bool {
    guard let toSRGB = ColorPrimaries.sRGB.colorants?.inverse else { return false }
    return (toSRGB * self).rows.joined().contains { $0 < -0.02 }
  }
}

extension ColorPrimaries {
  /// The white of ICC's connection space (ICC.1:2022, 7.2.16).
  static let d50 = [0.9642, 1.0, 0.8249]

  /// Bradford's cone responses, as recommended in ICC.1:2022, annex E.
  private static let bradford = Matrix3([
    [0.8951, 0.2664, -0.1614], [-0.7502, 1.7135, 0.0367], [0.0389, -0.0685, 1.0296],
  ])

  /// The matrix that adapts colors from `white` to D50, or `nil` if `white` is impossible.
  var adaptation: Matrix3? {
    guard let inverse = Self.bradford.inverse, let white = white.tristimulus else { return nil }
    let source = Self.bradford * white
    let target = Self.bradford * Self.d50
    guard source.allSatisfy({ $0 > 0.01 }) else { return nil }
    return inverse * Matrix3(diagonal: zip(target, source).map { $0 / $1 }) * Self.bradford
  }

  /// The luminance of red, green and blue as fractions of white's.
  var luminance: [Double]? { ownColorants?.rows[1] }

  /// The colorants under D50: X, Y, Z in rows and red, green, blue in columns. `nil` if the primaries are collinear.
  var colorants: Matrix3? {
    guard let adaptation, let ownColorants else { return nil }
    return adaptation * ownColorants
  }

  /// The colorants under the primaries' own white.
  private var ownColorants: Matrix3? {
    let places = [red, green, blue]
    let plain = Matrix3([
      places.map(\.x), places.map(\.y), places.map { 1 - $0.x - $0.y },
    ])
    guard let white = white.tristimulus, let inverse = plain.inverse else { return nil }
    return plain * Matrix3(diagonal: inverse * white)
  }
}

extension ColorPrimaries.Chromaticity {
  /// X, Y and Z of this point at Y = 1, or `nil` if it has no luminance.
  fileprivate var tristimulus: [Double]? {
    guard y > 0.000_1 else { return nil }
    return [x / y, 1, (1 - x - y) / y]
  }
}
