import Testing

@testable import ImageContainers

/// Lossless data of 8 x 8 pixels whose red, green and blue are zero, written bit by bit.
@Suite struct VP8LProofTests {
  private typealias Build = WebPBuilder

  /// A writer of bits, in which the lowest bit of a byte is the first.
  private struct Bits {
    var bytes: [UInt8] = []
    private var count = 0

    mutating func put(_ value: Int, _ width: Int) {
      for bit in 0..<width {
        if count.isMultiple(of: 8) { bytes.append(0) }
        bytes[count / 8] |= UInt8(value >> bit & 1) << UInt8(count % 8)
        count += 1
      }
    }

    /// Appends a simple prefix code of one or two symbols.
    mutating func putCode(_ symbols: Int...) {
      put(1 | (symbols.count - 1) << 1 | 1 << 2, 3)
      for symbol in symbols { put(symbol, 8) }
    }

    /// Appends a small image of one color.
    mutating func putImage(green: Int) {
      put(0, 1)
      for symbol in [green, 0, 0, 255, 0] { putCode(symbol) }
    }
  }

  /// - Parameter alphas: two alpha values; `pixels` returns which of them each pixel has.
  private func data(
    isChunk: Bool, mode: Int? = nil, palette: Bool = false, alphas: (Int, Int),
    _ pixels: (Int, Int) -> Int
  ) -> [UInt8] {
    var bits = Bits()
    if isChunk {
      bits.put(0x2F, 8)
      bits.put(7 | 7 << 14, 32)
    }
    if palette {
      bits.put(1 | 3 << 1, 3)
      bits.put(0, 8)
      bits.putImage(green: 0)
    }
    if let mode {
      bits.put(1, 3)
      bits.put(0, 3)
      bits.putImage(green: mode)
    }
    // The data has no further transform, no cache, and one group.
    bits.put(0, 3)
    for _ in 0..<3 { bits.putCode(0) }
    bits.putCode(alphas.0, alphas.1)
    bits.putCode(0)
    // Eight pixels of a palette of one color are packed into one.
    for y in 0..<8 { for x in 0..<(palette ? 1 : 8) { bits.put(pixels(x, y), 1) } }
    return bits.bytes
  }

  private func verify(_ data: [UInt8], isChunk: Bool) throws {
    if isChunk {
      _ = try ContainerProof.verify(Build.riff(Build.chunk("VP8L", data)), as: .webp)
    } else {
      _ = try VP8LProof.verifyAlpha(in: 0..<data.count, of: data, width: 8, height: 8)
    }
  }

  /// Returns one bit of text for each pixel.
  private static let text = Array("a secret".utf8)
  private func textBit(_ x: Int, _ y: Int) -> Int { Int(Self.text[y]) >> x & 1 }

  @Test(arguments: [true, false])
  func provesAlphaThatIsTheSameAllOver(isChunk: Bool) throws {
    try verify(data(isChunk: isChunk, alphas: (0, 255)) { _, _ in 1 }, isChunk: isChunk)
    let cornerOnly = data(isChunk: isChunk, mode: 11, alphas: (0, 1)) { $0 + $1 == 0 ? 1 : 0 }
    try verify(cornerOnly, isChunk: isChunk)
    // The mode predicts black for all pixels except the first row and column.
    let black = data(isChunk: isChunk, mode: 0, alphas: (0, 1)) { x, y in
      x == 0 && y == 0 || x > 0 && y > 0 ? 1 : 0
    }
    try verify(black, isChunk: isChunk)
  }

  @Test(arguments: [true, false], [nil, 0, 11] as [Int?])
  func refusesTextInAlphaThatNobodyLooksAt(isChunk: Bool, mode: Int?) {
    for second in [1, 255] {
      let planted = data(isChunk: isChunk, mode: mode, alphas: (0, second), textBit)
      #expect(throws: ProofError("webp-vp8l-idle-channel", offset: 0)) {
        do { try verify(planted, isChunk: isChunk) } catch let failure as ProofError {
          throw ProofError(failure.problem, offset: 0)
        }
      }
    }
  }

  @Test func refusesTextBesideThePlacesOfAPalette() throws {
    let plain = data(isChunk: true, palette: true, alphas: (0, 255)) { _, _ in 1 }
    try verify(plain, isChunk: true)
    let planted = data(isChunk: true, palette: true, alphas: (0, 255)) { textBit($1, $0) }
    #expect(throws: ProofError.self) { try verify(planted, isChunk: true) }
  }

  /// Returns data of one column of pixels, in blocks with two prediction modes.
  private static func column(modes: (Int, Int)) -> [UInt8] {
    var bits = Bits()
    bits.put(0x2F, 8)
    bits.put(15 << 14, 32)
    // Prediction in blocks of 4 x 4.
    bits.put(1, 3)
    bits.put(0, 3)
    bits.put(0, 1)
    bits.putCode(modes.0, modes.1)
    for symbol in [0, 0, 255, 0] { bits.putCode(symbol) }
    bits.put(0b1010, 4)
    // The data has no further transform, no cache, and one group, and all pixels are as predicted.
    bits.put(0, 3)
    for _ in 0..<5 { bits.putCode(0) }
    return bits.bytes
  }

  @Test func refusesModesOfAPictureThatIsOnePixelWide() throws {
    // A prediction from the pixel above is used whatever the mode.
    for modes in [(0, 1), (2, 11), (12, 13)] {
      #expect(throws: ProofError("webp-vp8l-idle-mode", offset: 0)) {
        do {
          try verify(Self.column(modes: modes), isChunk: true)
        } catch let failure as ProofError {
          throw ProofError(failure.problem, offset: 0)
        }
      }
    }
    var single = Bits()
    single.put(0x2F, 8)
    single.put(15 << 14, 32)
    single.put(1, 3)
    single.put(0, 3)
    single.putImage(green: 11)
    single.put(0, 3)
    for _ in 0..<5 { single.putCode(0) }
    try verify(single.bytes, isChunk: true)
  }

  /// Returns data of eight by eight pixels in which only the greens vary; alpha is the same everywhere.
  private func colored(alpha: Int, mode: Int? = nil, _ green: (Int, Int) -> Int) -> [UInt8] {
    var bits = Bits()
    bits.put(0x2F, 8)
    bits.put(7 | 7 << 14 | 1 << 28, 32)
    if let mode {
      bits.put(1, 3)
      bits.put(0, 3)
      bits.putImage(green: mode)
    }
    bits.put(0, 3)
    bits.putCode(0, 1)
    bits.putCode(0)
    bits.putCode(0)
    bits.putCode(alpha)
    bits.putCode(0)
    for y in 0..<8 { for x in 0..<8 { bits.put(green(x, y), 1) } }
    return bits.bytes
  }

  @Test func refusesColorsUnderFullTransparency() throws {
    try verify(colored(alpha: 255, textBit), isChunk: true)
    try verify(colored(alpha: 1, textBit), isChunk: true)
    #expect(throws: ProofError.self) { try verify(colored(alpha: 0, textBit), isChunk: true) }
  }

  @Test func provesWhatIsPredictedUnderFullTransparency() throws {
    // The first pixel is visible and has a color. The others have the same color, but a different alpha.
    func file(_ green: (Int, Int) -> Int) -> [UInt8] {
      var bits = Bits()
      bits.put(0x2F, 8)
      bits.put(7 | 7 << 14 | 1 << 28, 32)
      bits.put(1, 3)
      bits.put(0, 3)
      bits.putImage(green: 1)
      bits.put(0, 3)
      bits.putCode(0, 1)
      bits.putCode(0)
      bits.putCode(0)
      bits.putCode(0, 1)
      bits.putCode(0)
      // The first pixel has alpha 255 + 0. The second has 255 + 1, which is 0, and so have all that follow.
      for y in 0..<8 {
        for x in 0..<8 {
          bits.put(green(x, y), 1)
          bits.put(x == 1 && y == 0 || x == 0 && y == 1 ? 1 : 0, 1)
        }
      }
      return bits.bytes
    }
    try verify(file { x, y in x == 0 && y == 0 ? 1 : 0 }, isChunk: true)
    #expect(throws: ProofError.self) {
      try verify(file { x, y in x == 0 && y == 0 ? 1 : textBit(x, y) }, isChunk: true)
    }
  }

  @Test func refusesModesThatDoNotExist() throws {
    let unknown = data(isChunk: false, mode: 20, alphas: (0, 1)) { _, _ in 0 }
    #expect(throws: ProofError.self) { try verify(unknown, isChunk: false) }
  }
}
