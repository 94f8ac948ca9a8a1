import Testing

@testable import ImageContainers

@Suite("The proof of a JPEG: its data")
struct JPEGProofDataTests: JPEGProofSuite {
  @Test("Anything after the last code but ones up to the end of its byte is detected")
  func lastCode() {
    let blocks = ("10 101 10 1 0", "0 110 10 0 0")
    func verdict(_ data: [UInt8]) -> String? { self.verdict { $0.data = data } }
    #expect(verdict(JPEGProduct.bits(blocks.0, blocks.1, padding: "0")) == "jpeg-padding")
    #expect(verdict(JPEGProduct.bits(blocks.0, blocks.1, "1110")) != nil)
    #expect(verdict(JPEGProduct.bits(blocks.0, blocks.1) + [0x41]) == "jpeg-after-last-code")
    #expect(verdict(JPEGProduct.bits(blocks.0, blocks.1) + [0xFF, 0]) == "jpeg-after-last-code")
    #expect(
      verdict(JPEGProduct.bits(blocks.0, blocks.1) + [0xFF, 0xD0] + Array("text".utf8))
        == "jpeg-after-last-code")
    #expect(verdict(JPEGProduct.bits(blocks.0, blocks.1) + [0xFF]) == "jpeg-after-last-code")
    let long = JPEGProduct.bits(blocks.0, blocks.1) + [UInt8](repeating: 0x41, count: 40)
    #expect(verdict(long) == "jpeg-after-last-code")
    #expect(
      self.verdict { $0.data += JPEGProduct.scan() + $0.data } == "jpeg-after-last-code")
    // The last block is missing.
    #expect(verdict(JPEGProduct.bits("10 101 10 1 0")) != nil)
    #expect(verdict([]) == "jpeg-data-short")
  }

  @Test("A height or width that doesn't match the data is detected")
  func size() {
    #expect(verdict { $0.frame = JPEGProduct.frame(width: 8) } == "jpeg-after-last-code")
    #expect(verdict { $0.frame = JPEGProduct.frame(width: 24) } != nil)
    #expect(verdict { $0.frame = JPEGProduct.frame(height: 16) } != nil)
    #expect(verdict { $0.frame = JPEGProduct.frame(width: 65_535, height: 65_535) } != nil)
    // The second block is in the lower of two rows.
    let product = verdict {
      $0.frame = JPEGProduct.frame(width: 8, height: 16)
    }
    #expect(product == nil)
    #expect(verdict { $0.frame = JPEGProduct.frame(width: 8, height: 8) } == "jpeg-after-last-code")
  }

  @Test("Every code is in its table, and blocks are not overfilled")
  func codes() {
    func verdict(_ texts: String) -> String? {
      self.verdict { $0.data = JPEGProduct.bits(texts) }
    }
    #expect(verdict("11 101 10 1 0  0 110 10 0 0") == "jpeg-code")
    #expect(verdict("10 101 111 1 0  0 110 10 0 0") == "jpeg-code")
    // 63 zeros fill a block, and 64 exceed it.
    #expect(verdict("10 101 10 1 0  0 110 10 0 110 110 110 0") == "jpeg-code")
    #expect(verdict("10 101 10 1 0  0 110 10 0 110 110 0") == nil)
    // A difference of 12 bits.
    let wide = self.verdict {
      $0.huffman[0] = JPEGProduct.huffmanTable(0, [1: [0], 2: [12]])
      $0.data = JPEGProduct.bits("10 100000000001 10 1 0  0 110 10 0 0")
    }
    #expect(wide == "jpeg-code")
  }

  @Test("An average that 8-bit samples can't have is detected, whatever the differences")
  func differences() {
    func verdict(_ first: String, _ second: String) -> String? {
      self.verdict {
        // The steps are 1; with larger ones, no decoder would show such averages.
        $0.quantization[0] = JPEGProduct.quantizationTable(0, [:])
        $0.huffman[0] = JPEGProduct.huffmanTable(0, [1: [10], 2: [1], 3: [11]])
        $0.data = JPEGProduct.bits(first, "10 1 0", second, "110 10 0 0")
      }
    }
    // First 1023 and −1022, then 11 bits for 1024, −1024 and −1025.
    #expect(verdict("0 1111111111", "10 0") == "jpeg-huffman-entry")
    #expect(verdict("0 1111111111", "10 1") == "jpeg-dc-range")
    #expect(verdict("110 10000000000", "10 0") == "jpeg-dc-range")
    #expect(verdict("110 01111111111", "10 1") == "jpeg-huffman-entry")
    #expect(verdict("110 01111111111", "10 0") == "jpeg-dc-range")
    #expect(verdict("110 01111111110", "10 1") == "jpeg-dc-range")
    let isInside = self.verdict {
      $0.quantization[0] = JPEGProduct.quantizationTable(0, [:])
      $0.huffman[0] = JPEGProduct.huffmanTable(0, [1: [10], 2: [1]])
      $0.data = JPEGProduct.bits("0 1111111111 10 1 0", "10 0 110 10 0 0")
    }
    #expect(isInside == nil)
  }

  @Test("A block with a value in the last coefficient has no end code")
  func fullBlocks() {
    // 48 zeros, a value at 49, 13 zeros, and a value at 63.
    let product = verdict {
      $0.quantization[0] = JPEGProduct.quantizationTable(0, [0: 7, 1: 9, 63: 11])
      $0.huffman[1] = JPEGProduct.huffmanTable(0x10, [1: [0], 2: [1], 3: [0xF0], 4: [0xD1]])
      $0.data = JPEGProduct.bits("10 101 10 1 0", "0 110 110 110 10 0 1110 1", "")
    }
    #expect(product == nil)
    let overfilled = verdict {
      $0.quantization[0] = JPEGProduct.quantizationTable(0, [0: 7, 1: 9, 63: 11])
      $0.huffman[1] = JPEGProduct.huffmanTable(0x10, [1: [0], 2: [1], 3: [0xF0], 4: [0xE1]])
      $0.data = JPEGProduct.bits("10 101 10 1 0", "0 110 110 110 10 0 1110 1", "")
    }
    #expect(overfilled == "jpeg-code")
  }

  @Test("Restart markers are in their place and in order")
  func restarts() {
    func data(_ marker: [UInt8], _ last: String = "0 110 10 0 0") -> [UInt8] {
      JPEGProduct.bits("10 101 10 1 0") + marker + JPEGProduct.bits(last)
    }
    #expect(verdict(.restarted) { $0.data = data([0xFF, 0xD0]) } == nil)
    for marker: [UInt8] in [[0xFF, 0xD1], [0xFF, 0xFF, 0xD0], [0xFF, 0xD9], [0x41, 0xFF, 0xD0]] {
      #expect(verdict(.restarted) { $0.data = data(marker) } == "jpeg-after-last-code")
    }
    #expect(verdict(.restarted) { $0.data = data([]) } != nil)
    #expect(verdict(.restarted) { $0.data += [0xFF, 0xD1] } == "jpeg-after-last-code")
    #expect(
      verdict(.restarted) {
        $0.data =
          JPEGProduct.bits("10 101 10 1 0", padding: "0") + [0xFF, 0xD0]
          + JPEGProduct.bits("0 110 10 0 0")
      } == "jpeg-padding")
    // Ten units: number 0 follows number 7.
    func many(_ numbers: [UInt8]) -> String? {
      verdict(.restarted) {
        $0.frame = JPEGProduct.frame(width: 80)
        $0.data = JPEGProduct.bits("10 101 10 1 110 10 1 0")
        for number in numbers { $0.data += [0xFF, 0xD0 + number] + JPEGProduct.bits("0 0") }
      }
    }
    #expect(many([0, 1, 2, 3, 4, 5, 6, 7, 0]) == "jpeg-quantization-value")
    #expect(many([0, 1, 2, 3, 4, 5, 6, 7, 1]) == "jpeg-after-last-code")
  }

  @Test("Blocks outside the picture are empty")
  func hiddenBlocks() {
    func verdict(_ luma: String, _ next: String = "00 00 00 00 00 00") -> String? {
      self.verdict(.colored) {
        $0.data = JPEGProduct.bits("10 101 10 1 0", "0 110 10 0 0", luma, "00 00", next)
      }
    }
    #expect(verdict("00 00") == nil)
    #expect(verdict("0 10 1 0 00") == "jpeg-hidden-block")
    #expect(verdict("00 0 110 0") == "jpeg-hidden-block")
    #expect(verdict("10 101 0 00") == "jpeg-hidden-block")
    // In the second unit the first block is visible, and the three others are not.
    #expect(verdict("00 00", "0 10 1 0 00 00 00 00 00") == nil)
    #expect(verdict("00 00", "00 0 10 1 0 00 00 00 00") == "jpeg-hidden-block")
    #expect(verdict("00 00", "00 00 00 0 10 1 0 00 00") == "jpeg-hidden-block")
  }
}
