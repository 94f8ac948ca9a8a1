/// A transform of VP8L (RFC 9649, 4).
enum VP8LProofTransform {
  case prediction(bits: Int, modes: [UInt32])
  case colors(bits: Int, factors: [UInt32])
  case green
  /// All colors up to `count` must occur. An index beyond the array is invalid.
  case palette([UInt32], count: Int, width: Int)
}

/// Undoes the transforms of a picture row by row and checks the visible pixels.
struct VP8LProofRows {
  private let transforms: [VP8LProofTransform]
  private let hasAlpha: Bool
  private let isPredicted: Bool
  /// Receives the green values of an alpha plane.
  private(set) var plane: WebPProofAlpha?
  private var y = 0
  /// The previous row after undoing the prediction, but not the transforms that follow.
  private var above: [UInt32] = []
  private var isUsed: [Bool] = []
  /// `true` if an index is invalid or the bits after a row's last index aren't zero.
  private var isBroken = false
  /// `hidden` is the color of fully transparent pixels. `areSame` is `true` if all of them have it; `hasOwn` is `true`
  /// if one differs from its prediction.
  private var hidden: UInt32?
  private var areSame = true
  private var hasOwn = false

  init(_ transforms: [VP8LProofTransform], hasAlpha: Bool, plane: WebPProofAlpha?) {
    self.transforms = transforms.reversed()
    self.hasAlpha = hasAlpha
    self.plane = plane
    var isPredicted = false
    var hasPalette = false
    for transform in transforms {
      if case .prediction = transform { isPredicted = true }
      if case .palette(let colors, _, _) = transform {
        isUsed = [Bool](repeating: false, count: colors.count)
        hasPalette = true
      }
    }
    self.isPredicted = isPredicted && !hasPalette
  }

  /// `true` if fully transparent pixels have colors of their own: neither the same for all, nor the predicted ones.
  /// libwebp writes the predicted ones, which can't hide data and take the least space.
  var hidesColors: Bool { hasAlpha && hasOwn && !areSame }

  /// `true` if each color of a palette occurs and each index is valid.
  var isPaletteUsed: Bool {
    for case .palette(_, let count, _) in transforms where isUsed[..<count].contains(false) {
      return false
    }
    return !isBroken
  }

  mutating func addRow(_ coded: [UInt32]) {
    var row = coded
    for transform in transforms {
      switch transform {
      case .prediction(let bits, let modes): addPredictions(to: &row, bits, modes)
      case .colors(let bits, let factors):
        let columns = (row.count - 1) >> bits + 1
        for x in row.indices {
          row[x] = Self.recolored(row[x], factors[(y >> bits) * columns + x >> bits])
        }
      case .green:
        for x in row.indices {
          let green = row[x] >> 8 & 0xFF
          row[x] = Self.sum(row[x], green << 16 | green)
        }
      case .palette(let colors, let count, let width): row = painted(row, colors, count, width)
      }
    }
    if hasAlpha {
      for pixel in row where pixel >> 24 == 0 {
        if !isPredicted { hasOwn = true }
        if pixel != hidden ?? pixel { areSame = false }
        hidden = pixel
      }
    }
    plane?.addRow(row.map { UInt8(truncatingIfNeeded: $0 >> 8) })
    y += 1
  }

  /// Looks up each index. With up to 16 colors, several indices share a green value (4.4).
  private mutating func painted(
    _ row: [UInt32], _ colors: [UInt32], _ count: Int, _ width: Int
  ) -> [UInt32] {
    let packing = VP8LProof.packing(count)
    let bits = 8 >> packing
    var painted: [UInt32] = []
    painted.reserveCapacity(width)
    for x in 0..<row.count << packing {
      let shift = (x & (1 << packing - 1)) * bits
      let index = Int(row[x >> packing] >> 8 & 0xFF) >> shift & (1 << bits - 1)
      guard x < width else {
        if index != 0 { isBroken = true }
        continue
      }
      let isColor = index < colors.count
      if isColor { isUsed[index] = true } else { isBroken = true }
      painted.append(isColor ? colors[index] : 0)
    }
    return painted
  }

  // MARK: Predictions (4.1)

  private mutating func addPredictions(to row: inout [UInt32], _ bits: Int, _ modes: [UInt32]) {
    let columns = (row.count - 1) >> bits + 1
    for x in row.indices {
      let predicted: UInt32
      if y == 0 {
        predicted = x == 0 ? 0xFF00_0000 : row[x - 1]
      } else if x == 0 {
        predicted = above[0]
      } else {
        // The pixel to the right of a row's last pixel is the first of the next row.
        predicted = Self.prediction(
          modes[(y >> bits) * columns + x >> bits] >> 8 & 0xFF, left: row[x - 1], above: above[x],
          right: x + 1 < row.count ? above[x + 1] : row[0], corner: above[x - 1])
      }
      let pixel = Self.sum(row[x], predicted)
      if pixel >> 24 == 0, row[x] & 0xFF_FFFF != 0 { hasOwn = true }
      row[x] = pixel
    }
    above = row
  }

  private static func prediction(
    _ mode: UInt32, left: UInt32, above: UInt32, right: UInt32, corner: UInt32
  ) -> UInt32 {
    switch mode {
    case 0: 0xFF00_0000
    case 1: left
    case 2: above
    case 3: right
    case 4: corner
    case 5: mean(mean(left, right), above)
    case 6: mean(left, corner)
    case 7: mean(left, above)
    case 8: mean(corner, above)
    case 9: mean(above, right)
    case 10: mean(mean(left, corner), mean(above, right))
    case 11: distance(above, corner) < distance(left, corner) ? left : above
    case 12: clamped { channel(left, $0) + channel(above, $0) - channel(corner, $0) }
    default:
      clamped {
        let middle = channel(mean(left, above), $0)
        return middle + (middle - channel(corner, $0)) / 2
      }
    }
  }

  static func sum(_ a: UInt32, _ b: UInt32) -> UInt32 {
    ((a & 0xFF00_FF00) &+ (b & 0xFF00_FF00)) & 0xFF00_FF00
      | ((a & 0x00FF_00FF) &+ (b & 0x00FF_00FF)) & 0x00FF_00FF
  }

  private static func mean(_ a: UInt32, _ b: UInt32) -> UInt32 {
    ((a ^ b) >> 1 & 0x7F7F_7F7F) &+ (a & b)
  }

  private static func channel(_ pixel: UInt32, _ shift: UInt32) -> Int {
    Int(pixel >> shift & 0xFF)
  }

  @inline(__always)
  private static func clamped(_ value: (UInt32) -> Int) -> UInt32 {
    var pixel: UInt32 = 0
    for shift: UInt32 in [0, 8, 16, 24] {
      pixel |= UInt32(min(255, max(0, value(shift)))) << shift
    }
    return pixel
  }

  private static func distance(_ a: UInt32, _ b: UInt32) -> Int {
    var total = 0
    for shift: UInt32 in [0, 8, 16, 24] { total += abs(channel(a, shift) - channel(b, shift)) }
    return total
  }

  // MARK: Colors (4.2)

  private static func recolored(_ pixel: UInt32, _ factors: UInt32) -> UInt32 {
    func signed(_ value: UInt32) -> Int32 { Int32(Int8(truncatingIfNeeded: value)) }
    func delta(_ factor: UInt32, _ color: UInt32) -> UInt32 {
      UInt32(bitPattern: (signed(factor) * signed(color)) >> 5)
    }
    let green = pixel >> 8
    let red = (pixel >> 16 &+ delta(factors, green)) & 0xFF
    let blue = (pixel &+ delta(factors >> 8, green) &+ delta(factors >> 16, red)) & 0xFF
    return pixel & 0xFF00_FF00 | red << 16 | blue
  }
}
