#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The curve from stored values to light: a TRC of an ICC profile (ICC.1:2022, 10.6 and 10.18).
enum ToneCurve: Equatable {
  /// Evenly spaced values from 0 to 65535, with linear interpolation.
  case table([UInt16])
  /// `(a·x + b)^gamma + e` from `d` on, `c·x + f` below.
  case parametric(gamma: Double, a: Double, b: Double, c: Double, d: Double, e: Double, f: Double)

  /// Returns a pure power function.
  static func power(_ gamma: Double) -> ToneCurve {
    .parametric(gamma: gamma, a: 1, b: 0, c: 0, d: -1, e: 0, f: 0)
  }

  /// The curve of IEC 61966-2-1.
  static let sRGB = ToneCurve.parametric(
    gamma: 2.4, a: 1 / 1.055, b: 0.055 / 1.055, c: 1 / 12.92, d: 0.04045, e: 0, f: 0)

  /// Parses a tag of type `curv` or `para`. Returns `nil` if it has another type or doesn't fit its range.
  init?(_ bytes: [UInt8], in range: Range<Int>) {
    var reader = ByteReader(bytes, in: range)
    guard let type = try? reader.fourCC("curve"), (try? reader.skip(4, for: "curve")) != nil
    else { return nil }
    switch type {
    case "curv":
      guard let count = try? reader.big(4, "curve"), count <= reader.remaining / 2 else {
        return nil
      }
      let values = (0..<count).compactMap { _ in (try? reader.big(2, "curve")).map(UInt16.init) }
      switch count {
      case 0: self = .power(1)
      case 1: self = .power(Double(values[0]) / 256)
      default: self = .table(values)
      }
    case "para":
      guard let kind = try? reader.big(2, "curve"), kind <= 4,
        (try? reader.skip(2, for: "curve")) != nil
      else { return nil }
      let needed = [1, 3, 4, 5, 7][kind]
      let values = (0..<needed).compactMap { _ in reader.fixed() }
      guard values.count == needed else { return nil }
      let line = values + [Double](repeating: 0, count: 7 - needed)
      let gamma = line[0]
      let a = line[1]
      let b = line[2]
      if kind == 1 || kind == 2, a == 0 { return nil }
      switch kind {
      case 0: self = .power(gamma)
      case 1, 2:
        self = .parametric(
          gamma: gamma, a: a, b: b, c: 0, d: -b / a, e: line[3], f: line[3])
      default:
        self = .parametric(
          gamma: gamma, a: a, b: b, c: line[3], d: line[4], e: line[5], f: line[6])
      }
    default: return nil
    }
  }

  /// Returns the light from 0 to 1 for a stored value from 0 to 1.
  func light(_ value: Double) -> Double {
    switch self {
    case .table(let values):
      let place = value * Double(values.count - 1)
      let index = min(Int(place), values.count - 2)
      let low = Double(values[index])
      let high = Double(values[index + 1])
      return (low + (high - low) * (place - Double(index))) / 65_535
    case .parametric(let gamma, let a, let b, let c, let d, let e, let f):
      return value >= d ? pow(max(a * value + b, 0), gamma) + e : c * value + f
    }
  }

  /// Returns the 8-bit value of sRGB for light from 0 to 1.
  static func storedSRGB(_ light: Double) -> UInt8 { UInt8((sRGBValue(of: light) * 255).rounded()) }

  private static func sRGBValue(of light: Double) -> Double {
    light <= 0.003_130_8 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055
  }

  /// Returns `true` if this is the given curve, within the precision of a 16-bit table.
  func follows(_ curve: (Double) -> Double) -> Bool {
    (0...64).allSatisfy { step in
      let expected = curve(Double(step) / 64)
      return abs(light(Double(step) / 64) - expected) <= 0.03 * expected + 0.000_1
    }
  }

  /// `true` if each 8-bit value differs by at most 2 steps from the sRGB curve. The difference is invisible, and the
  /// pixels can stay unchanged.
  var isSRGB: Bool {
    (0...255).allSatisfy { step in
      let light = light(Double(step) / 255)
      guard light.isFinite else { return false }
      return abs(Self.sRGBValue(of: min(max(light, 0), 1)) * 255 - Double(step)) <= 2
    }
  }
}

extension ByteReader {
  /// Returns a signed number with 16 bits after the point (`s15Fixed16Number`, ICC.1:2022, 4.6).
  mutating func fixed() -> Double? {
    guard let raw = try? big(4, "s15Fixed16") else { return nil }
    return Double(Int32(truncatingIfNeeded: raw)) / 65_536
  }
}
