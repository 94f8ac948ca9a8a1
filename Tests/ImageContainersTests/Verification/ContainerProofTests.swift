import Testing

@testable import ImageContainers

/// A compromised worker may hand any bytes to the proof, so their cost must not exceed what their number allows.
@Suite struct ContainerProofTests {
  private func failure(_ file: [UInt8], _ format: ImageFormat) -> String? {
    do {
      _ = try ContainerProof.verify(file, as: format)
      return nil
    } catch {
      return error.problem
    }
  }

  /// A one-bit code means zero, and the bits after the end of the data read as zeros without end.
  @Test(.timeLimit(.minutes(30))) func aPNGOfEndlessRowsIsRefusedAtOnce() {
    let endless: [UInt8] = [120, 218, 5, 192, 129, 0, 0, 0, 0, 0, 16, 255, 213, 0]
    for (width, height) in [(1 << 24, 1 << 24), (1 << 24, 1), (1, 1 << 24)] {
      let file = PNGBuilder.file(
        PNGBuilder.header(width, height, color: 6), PNGBuilder.chunk("IDAT", endless),
        PNGBuilder.end)
      #expect(failure(file, .png) == "png-missing-rows")
    }
  }

  @Test func aPNGMayBeAsSmallAsDeflateCanMakeIt() throws {
    let file = PNGBuilder.file(
      PNGBuilder.header(1_000_000, 1, color: 0),
      PNGBuilder.chunk("IDAT", ZlibStream.zeros(1_000_001)), PNGBuilder.end)
    #expect(file.count < 2_000)
    #expect(try ContainerProof.verify(file, as: .png).width == 1_000_000)
  }

  /// A pixel whose code has only one symbol takes no data.
  @Test func webPFramesOfMorePixelsThanAPictureCanHaveAreRefused() {
    let side = 1 << 15
    let file = WebPBuilder.riff(
      WebPBuilder.canvas(2, side, side), WebPBuilder.animation(loop: 0),
      WebPBuilder.frame(0, 0, side, side, WebPBuilder.lossless(1, 1)))
    #expect(failure(file, .webp) == "webp-pixels")
  }

  @Test(.timeLimit(.minutes(30))) func aWebPOfOneColorIsReadAtOnce() throws {
    var bits = Bits()
    for (number, width) in [(0x2F, 8), (16_383, 14), (16_383, 14), (0, 7)] {
      bits.put(number, width)
    }
    // Five codes with only the symbol 0.
    for _ in 0..<5 { bits.put(1, 4) }
    let file = WebPBuilder.riff(WebPBuilder.chunk("VP8L", bits.bytes))
    #expect(try ContainerProof.verify(file, as: .webp).width == 16_384)
  }

  @Test func aWebPCannotAskForAnyNumberOfCodes() {
    var bits = Bits()
    for (number, width) in [(0x2F, 8), (3, 14), (3, 14), (0, 5), (0, 1), (1, 1), (0, 3)] {
      bits.put(number, width)
    }
    bits.put(0, 1)
    // The only block has group 65,535, because green and red are 255.
    for symbol in [255, 255, 0, 0, 0] {
      bits.put(0b101, 3)
      bits.put(symbol, 8)
    }
    let file = WebPBuilder.riff(WebPBuilder.chunk("VP8L", bits.bytes))
    #expect(failure(file, .webp) == "webp-vp8l-groups")
  }

  /// All macroblocks are skipped. libwebp requires a byte of tokens that it never reads.
  @Test func aBytePlantedWhereNoTokenIsReadIsSeenAndCleaned() throws {
    var writer = VP8BoolWriter()
    for bits in [2, 1, 1, 6, 3, 1, 2, 7, 5, 1] { writer.put(0, bits) }
    for probability in VP8Tables.coefficientUpdates { writer.put(false, probability) }
    writer.put(0x101, 9)
    let least = writer.neededBytes + 8
    for (bit, probability) in [(true, 1), (true, 145), (false, 156), (false, 163), (false, 142)] {
      writer.put(bit, UInt8(probability))
    }
    let needed = writer.finished()
    let first = needed + [UInt8](repeating: 0, count: max(0, least - needed.count))
    func file(_ tokens: [UInt8]) -> [UInt8] {
      WebPBuilder.riff(
        WebPBuilder.chunk(
          "VP8 ",
          WebPBuilder.little(first.count << 5 | 0x10, 3) + [0x9D, 0x01, 0x2A, 16, 0, 16, 0] + first
            + tokens))
    }
    #expect(failure(file([0]), .webp) == nil)
    #expect(failure(file([0, 0]), .webp) == nil)
    #expect(failure(file([0x53]), .webp) == "webp-vp8-tail")
    #expect(try WebPContainer.clean(file([0x53])) == file([0]))
  }

  /// Levels below zero, if they are absolute, filter nothing. After cleaning removes them, cleaning again changes
  /// nothing.
  @Test func segmentsWithLevelsBelowZeroAreCleanedForGood() throws {
    var writer = VP8BoolWriter()
    writer.put(0, 2)
    // Segments without a map, with absolute values.
    for bit in [1, 0, 1, 1] { writer.put(bit, 1) }
    for value in [10, 0, 0, 0] { writer.put(optional: value, 7) }
    for value in [-33, 0, 0, 0] { writer.put(optional: value, 6) }
    writer.put(0, 1)
    writer.put(18, 6)
    for bits in [3, 1, 2, 7, 5, 1] { writer.put(0, bits) }
    for probability in VP8Tables.coefficientUpdates { writer.put(false, probability) }
    writer.put(0x101, 9)
    let least = writer.neededBytes + 8
    for (bit, probability) in [(true, 1), (true, 145), (false, 156), (false, 163), (false, 142)] {
      writer.put(bit, UInt8(probability))
    }
    let needed = writer.finished()
    let first = needed + [UInt8](repeating: 0, count: max(0, least - needed.count))
    let file = WebPBuilder.riff(
      WebPBuilder.chunk(
        "VP8 ",
        WebPBuilder.little(first.count << 5 | 0x10, 3) + [0x9D, 0x01, 0x2A, 16, 0, 16, 0] + first
          + [0]))
    #expect(failure(file, .webp) == "webp-vp8-filter")
    let clean = try WebPContainer.clean(file)
    #expect(failure(clean, .webp) == nil)
    #expect(try WebPContainer.clean(clean) == clean)
  }

  private struct Bits {
    var bytes: [UInt8] = []
    var count = 0

    mutating func put(_ number: Int, _ width: Int) {
      for bit in 0..<width {
        if count % 8 == 0 { bytes.append(0) }
        bytes[count / 8] |= UInt8(number >> bit & 1) << UInt8(count % 8)
        count += 1
      }
    }
  }
}
