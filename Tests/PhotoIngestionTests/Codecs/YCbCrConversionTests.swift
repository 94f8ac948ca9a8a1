import ImageContainers
import Testing

@testable import PhotoIngestion

@Suite("YCbCrConversion")
struct YCbCrConversionTests {
  /// Kr and Kb of the supported matrices (ITU-T H.273, table 4).
  static let weights: [(coefficients: Int, red: Float, blue: Float)] = [
    (1, 0.2126, 0.0722), (2, 0.299, 0.114), (4, 0.30, 0.11), (5, 0.299, 0.114), (6, 0.299, 0.114),
    (7, 0.212, 0.087), (9, 0.2627, 0.0593),
  ]

  @Test(
    "Each sample is the weighted sum of its inputs, rounded once and clipped", arguments: weights)
  func fullRange(_ matrix: (coefficients: Int, red: Float, blue: Float)) throws {
    let conversion = try #require(
      YCbCrConversion(.init(coefficients: matrix.coefficients, isFullRange: true)))
    let (kr, kb) = (matrix.red, matrix.blue)
    let factors = [
      2 * (1 - kr), 2 * kb * (1 - kb) / (kb + kr - 1), 2 * kr * (1 - kr) / (kb + kr - 1),
      2 * (1 - kb),
    ].map { Int((65_536 * $0).rounded()) }
    var wrong = 0
    let luma = (0..<16).map { UInt8($0 * 17) }
    for blue in 0..<256 {
      for red in 0..<256 {
        let found = convert(
          conversion, luma, [UInt8](repeating: UInt8(blue), count: 8),
          [UInt8](repeating: UInt8(red), count: 8))
        let (cb, cr) = (blue - 128, red - 128)
        let shares = [factors[0] * cr, factors[1] * cb + factors[2] * cr, factors[3] * cb]
          .map { ($0 + 32_768) >> 16 }
        let expected = luma.flatMap { y in shares.map { UInt8(max(0, min(255, Int(y) + $0))) } }
        if found != expected { wrong += 1 }
      }
    }
    #expect(wrong == 0)
  }

  @Test(
    "Rows of any length are converted alike, without writing beyond their end", arguments: 1...50)
  func lengths(_ count: Int) throws {
    let conversion = try #require(YCbCrConversion(.init(coefficients: 6, isFullRange: true)))
    let luma = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 37) }
    let half = (count + 1) / 2
    let blue = (0..<half).map { UInt8(truncatingIfNeeded: 90 + $0 * 53) }
    let red = (0..<half).map { UInt8(truncatingIfNeeded: 200 - $0 * 71) }
    let found = convert(conversion, luma, blue, red)
    let alone = (0..<count).flatMap { x in
      convert(conversion, [luma[x]], [blue[x / 2]], [red[x / 2]])
    }
    #expect(found == alone)
    // The general code path gives the same within one step.
    var any = [UInt16](repeating: 0xA5A5, count: count * 3 + 3)
    conversion.convert(
      luma: luma, blue: blue, red: red, sampleBytes: 1, halved: 1, count: count, into: &any)
    #expect(any.suffix(3) == [0xA5A5, 0xA5A5, 0xA5A5])
    #expect(zip(found, any).allSatisfy { abs(Int($0) - Int($1)) <= 1 })
  }

  @Test(
    "Any depth, chroma and range gives the weighted sum of its inputs", arguments: [8, 10, 12],
    [0, 1])
  func depths(_ bitDepth: Int, _ halved: Int) throws {
    let full = 1 << bitDepth - 1
    var random = SystemRandomNumberGenerator()
    for (matrix, isFullRange) in Self.weights.flatMap({ [($0, true), ($0, false)] }) {
      let conversion = try #require(
        YCbCrConversion(
          .init(coefficients: matrix.coefficients, isFullRange: isFullRange), bitDepth: bitDepth))
      let samples = (0..<3).map { _ in
        (0..<100).map { _ in UInt16.random(in: 0...UInt16(full), using: &random) }
      }
      var found = [UInt16](repeating: 0, count: 300)
      conversion.convert(
        luma: samples[0], blue: samples[1], red: samples[2], sampleBytes: 2, halved: halved,
        count: 100, into: &found)
      let (kr, kb) = (Double(matrix.red), Double(matrix.blue))
      let (black, stretch, chroma) =
        isFullRange ? (0, 1, 1) : (Double(16 << (bitDepth - 8)), 1.1689, 1.1429)
      for x in 0..<100 {
        let y = (Double(samples[0][x]) - black) * stretch
        let cb = (Double(samples[1][x >> halved]) - Double(1 << (bitDepth - 1))) * chroma
        let cr = (Double(samples[2][x >> halved]) - Double(1 << (bitDepth - 1))) * chroma
        let (red, blue) = (y + 2 * (1 - kr) * cr, y + 2 * (1 - kb) * cb)
        let green = (y - kr * red - kb * blue) / (1 - kr - kb)
        for (value, expected) in zip(found[3 * x..<3 * x + 3], [red, green, blue]) {
          #expect(abs(Double(value) - min(max(expected, 0), Double(full))) <= 0.6)
        }
      }
    }
  }

  @Test(
    "Green, blue and red are reordered, and limited ranges are expanded", arguments: [8, 10, 12])
  func rgb(_ bitDepth: Int) throws {
    let one = UInt16(1 << (bitDepth - 8))
    let full = (1 << bitDepth) - 1
    let planes: [[UInt16]] = [[16, 125, 235], [16, 128, 240], [240, 16, 72]].map {
      $0.map { $0 * one }
    }
    func converted(isFullRange: Bool) throws -> [UInt16] {
      let conversion = try #require(
        YCbCrConversion(.init(coefficients: 0, isFullRange: isFullRange), bitDepth: bitDepth))
      #expect(conversion.isRGB && !conversion.isOrdinary)
      var found = [UInt16](repeating: 0, count: 9)
      conversion.convert(
        luma: planes[0], blue: planes[1], red: planes[2], sampleBytes: 2, halved: 0, count: 3,
        into: &found)
      return found
    }
    #expect(
      try converted(isFullRange: true)
        == (0..<3).flatMap { [planes[2][$0], planes[0][$0], planes[1][$0]] })
    let shares = [1, 0, 0, 0, 109.0 / 219, 0.5, 0.25, 1, 1]
    let spread = try converted(isFullRange: false)
    #expect(zip(spread, shares).allSatisfy { abs(Double($0) / Double(full) - $1) <= 0.005 })
  }

  @Test("Luma without chroma is gray")
  func gray() throws {
    let conversion = try #require(
      YCbCrConversion(.init(coefficients: 1, isFullRange: true), bitDepth: 10))
    let luma = (0..<100).map { UInt16($0 * 10) } + [1023, 65_535]
    var found = [UInt16](repeating: 0, count: luma.count * 3)
    conversion.convert(
      luma: luma, blue: nil, red: nil, sampleBytes: 2, halved: 0, count: luma.count, into: &found)
    #expect(found == luma.flatMap { [UInt16](repeating: min($0, 1023), count: 3) })
  }

  private func convert(
    _ conversion: YCbCrConversion, _ luma: [UInt8], _ blue: [UInt8], _ red: [UInt8]
  ) -> [UInt8] {
    var rgb = [UInt8](repeating: 0xA5, count: luma.count * 3 + 4)
    conversion.convert(luma: luma, blue: blue, red: red, count: luma.count, into: &rgb)
    #expect(rgb.suffix(4) == [0xA5, 0xA5, 0xA5, 0xA5])
    return rgb.dropLast(4)
  }
}
