#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The curves from stored values to light, for the profiles that PetSpot writes.
package enum ICCTransfer: Sendable, Equatable {
  /// A power, such as 2.2.
  case gamma(Double)
  /// The curve of IEC 61966-2-1.
  case sRGB
  /// No curve: the values are already light.
  case linear
  /// The inverse of the camera curve of ITU-R BT.709.
  case bt709
  /// The inverse of the camera curve of SMPTE ST 240.
  case st240
  /// The inverse of a logarithm over this many powers of ten.
  case logarithm(Double)
  /// The curve of digital cinema, SMPTE ST 428-1: white is at 48 of 52.37 candelas.
  case st428

  /// Creates the curve for a transfer characteristic of ITU-T H.273, table 3. Returns `nil` for high dynamic range (16,
  /// 18) and for unknown ones.
  ///
  /// 1, 6, 11, 12, 14 and 15 are camera curves. Browsers display such pictures with the curve of sRGB, and so does
  /// PetSpot. 2 means "unspecified" and is treated as sRGB, like a missing tag.
  package init?(codePoint: Int) {
    switch codePoint {
    case 1, 2, 6, 11...15: self = .sRGB
    case 4: self = .gamma(2.2)
    case 5: self = .gamma(2.8)
    case 7: self = .st240
    case 8: self = .linear
    case 9: self = .logarithm(2)
    case 10: self = .logarithm(2.5)
    case 17: self = .st428
    default: return nil
    }
  }

  var curve: ToneCurve {
    switch self {
    case .gamma(let gamma): .power(gamma)
    case .sRGB: .sRGB
    case .linear: .power(1)
    case .bt709:
      .parametric(
        gamma: 1 / 0.45, a: 1 / 1.099, b: 0.099 / 1.099, c: 1 / 4.5, d: 0.081, e: 0, f: 0)
    case .st240:
      .parametric(
        gamma: 1 / 0.45, a: 1 / 1.1115, b: 0.1115 / 1.1115, c: 1 / 4, d: 0.0912, e: 0, f: 0)
    case .logarithm(let powers):
      .table(
        [0]
          + (1...4095).map { step in
            UInt16((65_535 * pow(10, (Double(step) / 4095 - 1) * powers)).rounded())
          })
    case .st428:
      .parametric(gamma: 2.6, a: pow(52.37 / 48, 1 / 2.6), b: 0, c: 0, d: 0, e: 0, f: 0)
    }
  }
}

extension ColorPrimaries {
  /// Creates the primaries of ITU-T H.273, table 2. Returns `nil` for unknown ones. 2 means "unspecified" and is
  /// treated as sRGB.
  package init?(codePoint: Int) {
    let d65 = Chromaticity(0.3127, 0.3290)
    func primaries(
      _ red: (Double, Double), _ green: (Double, Double), _ blue: (Double, Double),
      white: Chromaticity
    ) -> ColorPrimaries {
      .init(
        red: .init(red.0, red.1), green: .init(green.0, green.1), blue: .init(blue.0, blue.1),
        white: white)
    }
    switch codePoint {
    case 1, 2: self = .sRGB
    case 4:
      self = primaries(
        (0.67, 0.33), (0.21, 0.71), (0.14, 0.08), white: .init(0.310, 0.316))
    case 5: self = primaries((0.64, 0.33), (0.29, 0.60), (0.15, 0.06), white: d65)
    case 6, 7: self = primaries((0.630, 0.340), (0.310, 0.595), (0.155, 0.070), white: d65)
    case 8:
      self = primaries(
        (0.681, 0.319), (0.243, 0.692), (0.145, 0.049), white: .init(0.310, 0.316))
    case 9: self = .bt2020
    case 10: self = primaries((1, 0), (0, 1), (0, 0), white: .init(1 / 3, 1 / 3))
    case 11:
      self = primaries(
        (0.680, 0.320), (0.265, 0.690), (0.150, 0.060), white: .init(0.314, 0.351))
    case 12: self = .displayP3
    case 22: self = primaries((0.630, 0.340), (0.295, 0.605), (0.155, 0.077), white: d65)
    default: return nil
    }
  }
}
