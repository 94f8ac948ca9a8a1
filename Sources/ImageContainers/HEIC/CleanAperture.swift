/// The crop of a `clap` property (ISO 14496-12, 12.1.4). It uses the arithmetic of libheif 1.15, because the results
/// must equal the size that libheif's decoder delivers.
struct CleanAperture: Equatable {
  private let width, height, across, down: Fraction

  init(_ box: ISOBox, _ bytes: [UInt8]) throws(ContainerError) {
    var reader = ByteReader(bytes, in: box.body)
    var fractions: [Fraction] = []
    for index in 0..<4 {
      let numerator = try reader.big(4, "clap")
      let denominator = try reader.big(4, "clap")
      let signed = index >= 2 ? Int(Int32(truncatingIfNeeded: numerator)) : numerator
      let fraction = Fraction(signed, denominator)
      guard signed <= Int32.max, denominator <= Int32.max, fraction.denominator != 0 else {
        throw .malformed("heif-clean-aperture", offset: box.range.lowerBound)
      }
      fractions.append(fraction)
    }
    width = fractions[0]
    height = fractions[1]
    across = fractions[2]
    down = fractions[3]
  }

  /// Returns the size that remains of a picture of this size. Returns `nil` if the crop is empty or if the decoder
  /// would announce another size than it delivers.
  func applied(width: Int, height: Int) -> (width: Int, height: Int)? {
    part(width: width, height: height).map { ($0.width, $0.height) }
  }

  /// Returns the part that remains of a picture of this size, and its position.
  func part(width: Int, height: Int) -> (left: Int, top: Int, width: Int, height: Int)? {
    guard let left = Self.start(self.width, across, of: width)?.rounded(down: true),
      let top = Self.start(self.height, down, of: height)?.rounded(down: false),
      let right = self.width.minus(1).plus(left).rounded(down: false),
      let bottom = self.height.minus(1).plus(top).rounded(down: false)
    else { return nil }
    let result = (
      min(right, width - 1) - max(left, 0) + 1, min(bottom, height - 1) - max(top, 0) + 1
    )
    guard result.0 > 0, result.1 > 0, let announcedWidth = self.width.rounded(down: false),
      let announcedHeight = self.height.rounded(down: false),
      result == (announcedWidth, announcedHeight)
    else { return nil }
    return (max(left, 0), max(top, 0), result.0, result.1)
  }

  /// Returns offset + (size - 1) / 2 - (aperture - 1) / 2.
  private static func start(_ aperture: Fraction, _ offset: Fraction, of size: Int) -> Fraction? {
    let center = offset.plus(Fraction(size - 1, 2))
    let half = aperture.minus(1)
    let start = center.minus(Fraction(half.numerator, half.denominator * 2))
    return start.denominator == 0 ? nil : start
  }
}

/// A fraction that loses precision to stay small, like libheif's.
private struct Fraction: Equatable {
  var numerator, denominator: Int

  init(_ numerator: Int, _ denominator: Int) {
    self.numerator = numerator
    self.denominator = denominator
    while abs(self.denominator) > 0x10000 || abs(self.numerator) > 0x10000 {
      self.numerator /= 2
      self.denominator /= 2
    }
  }

  func plus(_ other: Fraction) -> Fraction {
    denominator == other.denominator
      ? Fraction(numerator + other.numerator, denominator)
      : Fraction(
        numerator * other.denominator + other.numerator * denominator,
        denominator * other.denominator)
  }

  func minus(_ other: Fraction) -> Fraction { plus(Fraction(-other.numerator, other.denominator)) }

  func plus(_ number: Int) -> Fraction { Fraction(numerator + number * denominator, denominator) }

  func minus(_ number: Int) -> Fraction { plus(-number) }

  /// Rounds toward zero if `down` is `true`, else to the nearest. Returns `nil` if the denominator is 0.
  func rounded(down: Bool) -> Int? {
    guard denominator != 0 else { return nil }
    return down ? numerator / denominator : (numerator + denominator / 2) / denominator
  }
}
