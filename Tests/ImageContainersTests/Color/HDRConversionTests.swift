import Testing

@testable import ImageContainers

@Suite struct HDRConversionTests {
  private static let pq = HDRColors(transfer: .pq, primaries: .bt2020)
  private static let hlg = HDRColors(transfer: .hlg, primaries: .bt2020)

  /// Converts values of 16 bits, given as fractions, to sRGB.
  private func converted(_ values: [Double], _ colors: HDRColors) throws -> [UInt8] {
    let conversion = try #require(SourceColors.hdr(colors).conversion(bitDepth: 16))
    var pixels = [UInt8](repeating: 0, count: values.count)
    conversion.convert(
      values.map { UInt16(($0 * 65_535).rounded()) }, count: values.count / 3, into: &pixels)
    return pixels
  }

  /// Returns the stored PQ value for a light level in nits (SMPTE ST 2084).
  private func pqValue(nits: Double) -> Double {
    value { HDRColors.Transfer.pq.light($0) * 10_000 < nits }
  }

  /// Returns the value at which a rising curve stops fulfilling the condition.
  private func value(_ isBelow: (Double) -> Bool) -> Double {
    var (low, high) = (0.0, 1.0)
    for _ in 0..<50 {
      let middle = (low + high) / 2
      if isBelow(middle) { low = middle } else { high = middle }
    }
    return low
  }

  /// Known points: ST 2084 gives 0.5081 for 100 nits, 0.5807 for 203 (BT.2408), and 0.7518 for 1,000. HLG has 1/12 of
  /// the light at one half, and 203 of 1,000 nits at three quarters.
  @Test func curvesPassTheirKnownPoints() {
    for (nits, value) in [(100.0, 0.5081), (203, 0.5807), (1000, 0.7518), (10_000, 1)] {
      #expect(abs(pqValue(nits: nits) - value) < 0.0001)
    }
    let hlg = HDRColors.Transfer.hlg
    #expect(abs(hlg.light(0.5) - 1 / 12) < 0.000_01)
    #expect(abs(hlg.light(0.75) - 0.265) < 0.001)
    #expect(abs(hlg.light(1) - 1) < 0.000_01)
  }

  /// Ordinary light, up to 3/4 of 203 nits, keeps its sRGB value: 100 nits are 0.4926 of white, which is 186.
  @Test func whatIsNoHighlightStays() throws {
    for (nits, expected) in [(0.0, 0), (1, 15), (50, 136), (100, 186), (150, 223)] {
      let value = pqValue(nits: nits)
      let pixels = try converted([value, value, value], Self.pq)
      #expect(pixels.allSatisfy { abs(Int($0) - expected) <= 1 }, "\(nits) nits: \(pixels)")
    }
  }

  @Test(arguments: [pq, hlg]) func graysRiseAndStayNeutral(_ colors: HDRColors) throws {
    let grays = (0...1000).flatMap { [Double](repeating: Double($0) / 1000, count: 3) }
    let pixels = try converted(grays, colors)
    var last: UInt8 = 0
    for start in stride(from: 0, to: pixels.count, by: 3) {
      let (least, most) = (pixels[start..<start + 3].min()!, pixels[start..<start + 3].max()!)
      #expect(most - least <= 1)
      #expect(most >= last)
      last = most
    }
    #expect(last == 255)
  }

  /// Highlights keep their order: white and light that is two, four and ten times as bright give different values.
  @Test func highlightsAreRolledOff() throws {
    let values = [203.0, 406, 812, 2030, 10_000].map(pqValue)
    let pixels = try converted(values.flatMap { [$0, $0, $0] }, Self.pq)
    let levels = stride(from: 0, to: 15, by: 3).map { Int(pixels[$0]) }
    #expect(zip(levels, levels.dropFirst()).allSatisfy { $0 < $1 }, "\(levels)")
    #expect((236...244).contains(levels[0]) && levels[4] == 255, "\(levels)")
    // HLG at three quarters is the same light as white.
    #expect(abs(Int(try converted([0.75, 0.75, 0.75], Self.hlg)[0]) - levels[0]) <= 2)
  }

  /// The red of BT.709 at 203 nits is 0.6274, 0.0691, 0.0164 in BT.2020. Only the roll-off changes sRGB's red there,
  /// and each of its channels gets only its own light.
  @Test func colorsOfSRGBStayWhatTheyAre() throws {
    let values = [0.6274, 0.0691, 0.0164].map { pqValue(nits: $0 * 203 * 0.716) }
    let pixels = try converted(values, Self.pq)
    #expect(abs(Int(pixels[0]) - 220) <= 1 && pixels[1] <= 2 && pixels[2] <= 2, "\(pixels)")
  }

  /// The ratio of light between channels is the same at any brightness, so the hue of a color stays.
  @Test func brightColorsKeepTheirHue() throws {
    let orange = [0.9, 0.5, 0.2]
    let ratios = try [100.0, 400, 1600].map { nits in
      let pixels = try converted(orange.map { pqValue(nits: $0 * nits) }, Self.pq)
      #expect(pixels[0] > pixels[1] && pixels[1] > pixels[2])
      let light = pixels.map { ToneCurve.sRGB.light(Double($0) / 255) }
      return light[1] / light[0]
    }
    #expect(ratios.allSatisfy { abs($0 - ratios[0]) < 0.02 }, "\(ratios)")
  }

  /// Colors outside sRGB become the nearest sRGB color of their luminance, without wrapping around.
  @Test func colorsBeyondSRGBAreBroughtIn() throws {
    for (index, name) in ["red", "green", "blue"].enumerated() {
      var values = [0.0, 0, 0]
      values[index] = pqValue(nits: 100)
      let pixels = try converted(values, Self.pq)
      #expect(pixels[index] == pixels.max() && pixels.min()! <= 1, "\(name): \(pixels)")
    }
  }

  @Test(arguments: [8, 10, 12]) func depthsAgree(_ bitDepth: Int) throws {
    let full = Double(1 << bitDepth - 1)
    let conversion = try #require(SourceColors.hdr(Self.pq).conversion(bitDepth: bitDepth))
    let steps = stride(from: 0.0, through: 255, by: 15).map { ($0 * full / 255).rounded() }
    let values = steps.flatMap { [$0, steps[5], full - $0] }
    var found = [UInt8](repeating: 0, count: values.count)
    if bitDepth == 8 {
      found = values.map(UInt8.init)
      found.withUnsafeMutableBufferPointer {
        conversion.convert($0.baseAddress!, count: values.count / 3)
      }
    } else {
      conversion.convert(values.map(UInt16.init), count: values.count / 3, into: &found)
    }
    #expect(found == (try converted(values.map { $0 / full }, Self.pq)))
  }
}
