import Foundation
import Testing

@testable import ImageContainers

@Suite("The proof of a JPEG: detail that is clamped away")
struct JPEGProofDetailTests: JPEGProofSuite {
  /// Returns a gray picture of blocks. Each has an average, and AC coefficients by their place in zigzag order.
  private static func picture(
    _ blocks: [(average: Int, coefficients: [Int: Int])], _ steps: [Int]
  ) -> JPEGProduct {
    var product = JPEGProduct()
    let dc = JPEGHuffmanTable.typical(forDC: true, isLuma: true)
    let ac = JPEGHuffmanTable.typical(forDC: false, isLuma: true)
    product.huffman = [(0x00, dc), (0x10, ac)].map { head, table in
      JPEGProduct.segment(0xC4, [head] + table.counts + table.symbols)
    }
    var used: Set<Int> = []
    var text = ""
    func put(_ table: JPEGHuffmanTable, _ run: Int, _ value: Int) {
      let size = Int.bitWidth - value.magnitude.leadingZeroBitCount
      let code = table.codes[run << 4 | size]
      text += digits(Int(code >> 8), Int(code & 0xFF))
      if size > 0 { text += digits((value < 0 ? value - 1 : value) & (1 << size - 1), size) }
    }
    var last = 0
    for (average, coefficients) in blocks {
      put(dc, 0, average - last)
      last = average
      if average != 0 { used.insert(0) }
      var next = 1
      for (place, value) in coefficients.sorted(by: { $0.key < $1.key }) where value != 0 {
        while place - next > 15 {
          text += digits(Int(ac.codes[0xF0] >> 8), Int(ac.codes[0xF0] & 0xFF))
          next += 16
        }
        put(ac, place - next, value)
        used.insert(place)
        next = place + 1
      }
      if next < 64 { put(ac, 0, 0) }
    }
    let isWide = used.contains { steps[$0] > 255 }
    let values = steps.enumerated().map { used.contains($0) ? $1 : 1 }
    product.quantization = [
      JPEGProduct.segment(
        0xDB,
        isWide
          ? [0x10] + values.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
          : [0] + values.map { UInt8($0) })
    ]
    product.frame = JPEGProduct.frame(isWide ? 0xC1 : 0xC0, width: 8 * blocks.count)
    product.data = JPEGProduct.bits(text)
    return product
  }

  private static func digits(_ number: Int, _ count: Int) -> String {
    (0..<count).reversed().map { number >> $0 & 1 == 1 ? "1" : "0" }.joined()
  }

  private func verdict(
    _ average: Int, _ coefficients: [Int: Int] = [:], steps: [Int]
  ) -> String? {
    verdict(Self.picture([(average, coefficients)], steps))
  }

  private static func even(_ step: Int) -> [Int] { [Int](repeating: step, count: 64) }

  @Test(
    "Detail above white and below black is detected, with any tables",
    arguments: [2, 8, 16, 60, 255, 256, 4_000])
  func saturated(_ step: Int) {
    let word = "jpeg-hidden-detail"
    let text = [1: 3, 5: -2, 9: 4, 33: -1]
    for sign in [1, -1] {
      // Three ranges away, and as far as the coefficients of the text reach.
      for distance in [255 * 3, 128 + 4 * step] where distance * 8 / step < 1_000 {
        let average = sign * (distance * 8 + step - 1) / step
        #expect(verdict(average, text, steps: Self.even(step)) == word, "\(distance)")
      }
    }
  }

  @Test("Averages beyond the range are detected, but one step of rounding is allowed")
  func averages() {
    #expect(verdict(160, steps: Self.even(16)) == "jpeg-hidden-detail")
    #expect(verdict(-160, steps: Self.even(16)) == "jpeg-hidden-detail")
    #expect(verdict(66, steps: Self.even(16)) == "jpeg-hidden-detail")
    #expect(verdict(64, steps: Self.even(16)) == nil)
    #expect(verdict(-64, steps: Self.even(16)) == nil)
    #expect(verdict(65, steps: Self.even(16)) == "jpeg-hidden-detail")
    #expect(verdict(6, steps: Self.even(200)) == "jpeg-hidden-detail")
    #expect(verdict(5, steps: Self.even(200)) == nil)
    #expect(verdict(1_023, steps: Self.even(1)) == nil)
  }

  @Test("Detail in the clamped half of a block is detected")
  func partlySaturated() {
    for step in [1, 4, 16] {
      // A wave of 400 up and down, with text on its crest.
      let wave = 2_300 / step
      #expect(
        verdict(0, [1: min(wave, 1_023), 5: 60 / step, 11: -90 / step], steps: Self.even(step))
          == (step == 1 ? nil : "jpeg-hidden-detail"), "\(step)")
    }
    #expect(verdict(0, [2: 40], steps: Self.even(16)) == nil)
  }

  @Test("Detail is detected even if one sample is visible")
  func oneSample() throws {
    // All samples are about 430 except for a black corner: even 1.25 times all tolerances is less.
    let samples = (0..<64).map { $0 == 0 ? 0.0 : 430 + 40 * sin(Double($0 * $0)) }
    let block = Self.rounded(samples, Self.even(8))
    #expect(verdict(block.average, block.coefficients, steps: Self.even(8)) == "jpeg-hidden-detail")
  }

  @Test("A single sample that is far brighter than white is detected")
  func spike() {
    let samples = (0..<64).map { $0 == 19 ? 390.0 : 246 }
    let block = Self.rounded(samples, Self.even(8))
    #expect(verdict(block.average, block.coefficients, steps: Self.even(8)) == "jpeg-hidden-detail")
  }

  @Test("Faint detail is detected on an average that rounding explains")
  func faint() {
    let steps = [117] + [Int](repeating: 10, count: 63)
    #expect(verdict(9, steps: steps) == nil)
    #expect(verdict(9, [1: 1], steps: steps) == "jpeg-hidden-detail")
    #expect(verdict(-9, [8: -1], steps: steps) == "jpeg-hidden-detail")
  }

  @Test("A picture in range is verified after any rounding", arguments: [1, 3, 8, 16, 40, 99, 255])
  func overshoot(_ step: Int) {
    var state: UInt64 = 7
    func random(_ count: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % count
    }
    let slope = (0..<64).map { max(1, min(255, step * (8 + $0) / 16)) }
    for steps in [Self.even(step), slope] {
      for kind in 0..<160 {
        let (angle, level) = (random(9), random(256))
        let samples = (0..<64).map { index -> Double in
          let (x, y) = (index % 8, index / 8)
          switch kind % 5 {
          case 0: return x * 2 + y * (angle - 4) > level / 16 ? 255 : 0  // an edge
          case 1: return random(2) == 0 ? 0 : 255  // noise
          case 2: return (x / 2 + y / 3) % 2 == 0 ? 255 : Double(255 - level)  // letters
          case 3: return Double(min(255, 235 + random(40)))  // burnt out
          default: return Double(max(0, random(50) - 30 + angle))  // shadow
          }
        }
        let block = Self.rounded(samples, steps)
        #expect(
          verdict(block.average, block.coefficients, steps: steps) == nil, "\(kind) \(samples)")
      }
    }
  }

  /// Returns an encoder's coefficients for samples (T.81, A.3.3 and A.3.4).
  private static func rounded(
    _ samples: [Double], _ steps: [Int]
  ) -> (average: Int, coefficients: [Int: Int]) {
    func scale(_ frequency: Int) -> Double { frequency == 0 ? 0.125.squareRoot() : 0.5 }
    func wave(_ frequency: Int, _ place: Int) -> Double {
      scale(frequency) * cos(Double((2 * place + 1) * frequency) * .pi / 16)
    }
    let values = (0..<64).map { place -> Int in
      let cell = Int(JPEGTurn.zigzag[place])
      let sum = samples.indices.reduce(0.0) { sum, index in
        sum + (samples[index] - 128) * wave(cell % 8, index % 8) * wave(cell / 8, index / 8)
      }
      return Int((sum / Double(steps[place])).rounded())
    }
    return (values[0], Dictionary(uniqueKeysWithValues: (1..<64).map { ($0, values[$0]) }))
  }
}
