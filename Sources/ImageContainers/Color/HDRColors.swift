#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The colors of a picture with high dynamic range (ITU-R BT.2100), which can be brighter than the white of a page.
package struct HDRColors: Sendable, Equatable {
  /// The curve that converts stored values to light.
  package var transfer: Transfer
  /// The primaries and the white point.
  package var primaries: ColorPrimaries

  /// The curves of BT.2100.
  package enum Transfer: String, Sendable, Equatable {
    /// The perceptual quantizer, SMPTE ST 2084: light of the display, up to 10,000 nits.
    case pq = "PQ"
    /// Hybrid log-gamma: light of the scene.
    case hlg = "HLG"

    /// Creates the curve for a transfer characteristic of ITU-T H.273. Returns `nil` for all except 16 and 18.
    package init?(codePoint: Int) {
      switch codePoint {
      case 16: self = .pq
      case 18: self = .hlg
      default: return nil
      }
    }

    /// Returns the light for a stored value from 0 to 1: display light as a fraction of 10,000 nits (PQ), or scene
    /// light from 0 to 1 (HLG).
    func light(_ value: Double) -> Double {
      switch self {
      case .pq:
        let power = pow(value, 32 / 2523)
        return pow(max(power - 107 / 128, 0) / (2413 / 128 - 2392 / 128 * power), 16_384 / 2610)
      case .hlg:
        return value <= 0.5
          ? value * value / 3 : (exp((value - 0.559_910_73) / 0.178_832_77) + 0.284_668_92) / 12
      }
    }
  }

  /// The name for people, such as `BT.2020 PQ`.
  package var name: String {
    switch primaries {
    case .bt2020: "BT.2020 \(transfer.rawValue)"
    case .displayP3: "Display P3 \(transfer.rawValue)"
    case .sRGB: "BT.709 \(transfer.rawValue)"
    default: transfer.rawValue
    }
  }
}

/// Converts colors of high dynamic range to 8-bit sRGB.
///
/// White is 203 nits (ITU-R BT.2408). Colors up to 3/4 of white's light, 224 of 255, don't change, so a picture that
/// doesn't use the high dynamic range looks like an ordinary one. Brighter colors are compressed and keep their order,
/// up to 10,000 nits (PQ) or to the 1,000 nits of a display (HLG). All three values of a color are scaled equally, so
/// hues and neutral grays are preserved. A color outside of sRGB moves toward the gray of its luminance until it fits.
///
/// Browsers instead dim the whole picture, white to three quarters, to make room for highlights. Next to other photos
/// on a page, such a picture would look dull.
struct HDRConversion: ColorConversion {
  private static let white = 203.0
  /// The light above which highlights are compressed, as a fraction of white.
  private static let knee: Float = 0.75
  private static let steps: Float = 16_384

  /// The light of each stored value: 1 is white (PQ), or the maximum of the scene (HLG).
  private let light: [Float]
  /// The contributions of red, green and blue to linear sRGB.
  private let columns: (SIMD3<Float>, SIMD3<Float>, SIMD3<Float>)
  /// The weights of red, green and blue in the luminance, from the picture's own primaries.
  private let shares: SIMD3<Float>
  /// The factor from scene light to display light for each luminance (the OOTF of HLG for 1,000 nits). Empty for PQ.
  private let display: [Float]
  /// The brightest highlight, as a multiple of the range above the knee.
  private let span: Float
  /// The 8-bit sRGB value for each step of linear light.
  private let stored: [UInt8]

  /// Returns `nil` if the primaries are collinear.
  init?(_ colors: HDRColors, bitDepth: Int) {
    guard let own = colors.primaries.colorants, let toSRGB = ColorPrimaries.sRGB.colorants?.inverse,
      let shares = colors.primaries.luminance
    else { return nil }
    let full = Double(1 << bitDepth - 1)
    let isPQ = colors.transfer == .pq
    light = (0...Int(full)).map {
      Float(colors.transfer.light(Double($0) / full) * (isPQ ? 10_000 / Self.white : 1))
    }
    let rows = (toSRGB * own).rows.map { $0.map(Float.init) }
    func column(_ index: Int) -> SIMD3<Float> { SIMD3(rows.map { $0[index] }) }
    columns = (column(0), column(1), column(2))
    self.shares = SIMD3(shares.map(Float.init))
    let peak = (isPQ ? 10_000 : 1_000) / Self.white
    display =
      isPQ
      ? []
      : (0...Int(Self.steps)).map { Float(peak * pow(Double($0) / Double(Self.steps), 0.2)) }
    span = (Float(peak) - Self.knee) / (1 - Self.knee)
    stored = (0...Int(Self.steps)).map { ToneCurve.storedSRGB(Double($0) / Double(Self.steps)) }
  }

  /// Returns the sRGB color of a pixel.
  @inline(__always)
  private func converted(
    _ red: Int, _ green: Int, _ blue: Int, _ light: UnsafeBufferPointer<Float>,
    _ display: UnsafeBufferPointer<Float>, _ stored: UnsafeBufferPointer<UInt8>
  ) -> (UInt8, UInt8, UInt8) {
    var r = light[red]
    var g = light[green]
    var b = light[blue]
    if display.count > 0 {
      let luminance = min(max(shares.x * r + shares.y * g + shares.z * b, 0), 1)
      let gain = display[Int(luminance * Self.steps + 0.5)]
      r = r * gain
      g = g * gain
      b = b * gain
    }
    var color = columns.0 * r + columns.1 * g + columns.2 * b
    let least = color.min()
    if least < 0 {
      let gray = max((color * SIMD3(0.2126, 0.7152, 0.0722)).sum(), 0)
      color = (gray + (color - gray) * (gray / (gray - least))).clamped(
        lowerBound: .zero, upperBound: .init(repeating: .greatestFiniteMagnitude))
    }
    let most = color.max()
    if most > Self.knee {
      let above = (most - Self.knee) / (1 - Self.knee)
      let rolled = above * (1 + above / (span * span)) / (1 + above)
      color *= min(Self.knee + (1 - Self.knee) * rolled, 1) / most
    }
    color = color * Self.steps + 0.5
    return (stored[Int(color.x)], stored[Int(color.y)], stored[Int(color.z)])
  }

  func convert(_ pixels: UnsafeMutablePointer<UInt8>, count: Int) {
    convert(UnsafePointer(pixels), count: count, to: pixels)
  }

  func convert(
    _ values: UnsafePointer<UInt16>, count: Int, into pixels: UnsafeMutablePointer<UInt8>
  ) {
    convert(values, count: count, to: pixels)
  }

  @inline(__always)
  private func convert<Sample: UnsignedInteger>(
    _ values: UnsafePointer<Sample>, count: Int, to pixels: UnsafeMutablePointer<UInt8>
  ) {
    light.withUnsafeBufferPointer { light in
      display.withUnsafeBufferPointer { display in
        stored.withUnsafeBufferPointer { stored in
          for index in stride(from: 0, to: count * 3, by: 3) {
            let color = converted(
              Int(values[index]), Int(values[index + 1]), Int(values[index + 2]), light, display,
              stored)
            pixels[index] = color.0
            pixels[index + 1] = color.1
            pixels[index + 2] = color.2
          }
        }
      }
    }
  }
}

extension SIMD3<Float> {
  fileprivate init(_ values: [Float]) { self.init(values[0], values[1], values[2]) }
}
