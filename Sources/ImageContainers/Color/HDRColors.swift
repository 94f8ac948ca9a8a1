#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Colors of high dynamic range (ITU-R BT.2100): brighter than the white of a page.
package struct HDRColors: Sendable, Equatable {
  /// How stored values become light.
  package var transfer: Transfer
  /// What red, green and blue are.
  package var primaries: ColorPrimaries

  /// The curves of BT.2100.
  package enum Transfer: String, Sendable, Equatable {
    /// The perceptual quantizer, SMPTE ST 2084: light of the display up to 10,000 nits.
    case pq = "PQ"
    /// Hybrid log-gamma: light of the scene.
    case hlg = "HLG"

    /// A transfer characteristic of ITU-T H.273; nil for all but 16 and 18.
    package init?(codePoint: Int) {
      switch codePoint {
      case 16: self = .pq
      case 18: self = .hlg
      default: return nil
      }
    }

    /// Returns the curve for a stored value from 0 to 1: display light as a part of 10,000 nits
    /// (PQ), or scene light from 0 to 1 (HLG).
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

  /// Such as `BT.2020 PQ`.
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
/// White is 203 nits (ITU-R BT.2408). Up to 3/4 of white's light, 224 of 255, colors are what they are:
/// a picture that needs no high dynamic range looks as if it had none. What is brighter is rolled
/// off, so that its light stays in order up to 10,000 nits (PQ), or to the 1,000 nits of a display for HLG.
/// A color's three values are scaled alike, so its hue stays, and grays stay neutral. A color that
/// sRGB lacks moves toward the gray of its luminance until it fits. Browsers dim everything, white to
/// three quarters, to keep room for highlights; a photo with its neighbors on a page would look dull.
struct HDRConversion: ColorConversion {
  private static let white = 203.0
  /// Where highlights begin to be rolled off, as a part of white.
  private static let knee: Float = 0.75
  private static let steps: Float = 16_384

  /// Light of each value: 1 is white (PQ), or all light of the scene (HLG).
  private let light: [Float]
  /// What red, green and blue add to linear sRGB.
  private let columns: (SIMD3<Float>, SIMD3<Float>, SIMD3<Float>)
  /// Shares of the luminance: those of the picture's own primaries.
  private let shares: SIMD3<Float>
  /// What scene light of each luminance is multiplied with to be light of the display (the OOTF of HLG
  /// for 1,000 nits); empty for PQ.
  private let display: [Float]
  /// Highlights at the end of the roll-off, in widths of what is above the knee.
  private let span: Float
  private let stored: [UInt8]

  /// - Returns: nil when the primaries span no colors.
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
