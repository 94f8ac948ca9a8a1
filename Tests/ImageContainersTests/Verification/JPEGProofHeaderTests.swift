import Testing

@testable import ImageContainers

@Suite("The proof of a JPEG: frame, Huffman tables and scan")
struct JPEGProofHeaderTests: JPEGProofSuite {
  @Test("A frame is 8-bit baseline, unless its tables require more")
  func frame() {
    let frame = JPEGProduct.frame
    for marker: UInt8 in [0xC2, 0xC3, 0xC9, 0xCA, 0xF7] {
      #expect(verdict { $0.frame[1] = marker } == "jpeg-marker")
    }
    #expect(verdict { $0.frame[1] = 0xC1 } == "jpeg-frame")
    #expect(verdict { $0.frame += $0.frame } == "jpeg-marker")
    #expect(verdict { $0.frame = frame(0xC0, 16, 8, 12, [(1, 0x11, 0)]) } == "jpeg-frame")
    #expect(verdict { $0.frame = frame(0xC0, 0, 8, 8, [(1, 0x11, 0)]) } == "jpeg-frame")
    #expect(verdict { $0.frame = frame(0xC0, 16, 0, 8, [(1, 0x11, 0)]) } == "jpeg-frame")
    #expect(verdict { $0.frame[3] += 1 } == "jpeg-frame")
    #expect(verdict { $0.frame = frame(0xC0, 16, 8, 8, []) } == "jpeg-frame")
    #expect(
      verdict { $0.frame = frame(0xC0, 16, 8, 8, [(1, 0x11, 0), (2, 0x11, 0)]) } == "jpeg-frame")
    let cmyk: [(UInt8, UInt8, UInt8)] = [(1, 0x11, 0), (2, 0x11, 0), (3, 0x11, 0), (4, 0x11, 0)]
    #expect(verdict { $0.frame = frame(0xC0, 16, 8, 8, cmyk) } == "jpeg-frame")
    for id: UInt8 in [0, 2, 0x52] {
      #expect(verdict { $0.frame = frame(0xC0, 16, 8, 8, [(id, 0x11, 0)]) } == "jpeg-frame")
    }
    for table: UInt8 in [1, 4, 255] {
      #expect(verdict { $0.frame = frame(0xC0, 16, 8, 8, [(1, 0x11, table)]) } == "jpeg-frame")
    }
  }

  @Test("Sampling factors are those that a decoder supports")
  func sampling() {
    let frame = JPEGProduct.frame
    // The sampling factors of a single component have no effect.
    for sampling: UInt8 in [0x22, 0x21, 0x12, 0x01, 0x10, 0x51, 0x15] {
      #expect(verdict { $0.frame = frame(0xC0, 16, 8, 8, [(1, sampling, 0)]) } == "jpeg-frame")
    }
    for sampling: [UInt8] in [
      [0x32, 0x21, 0x11], [0x23, 0x12, 0x11], [0x41, 0x21, 0x11], [0x50, 0x11, 0x11],
      [0x05, 0x11, 0x11], [0x22, 0x22, 0x22], [0x44, 0x11, 0x11],
    ] {
      let components = zip(1...3 as ClosedRange<UInt8>, sampling).map { ($0, $1, $0 == 1 ? 0 : 1) }
        .map { (id: $0.0, sampling: $0.1, table: UInt8($0.2)) }
      let isFine = sampling == [0x41, 0x21, 0x11]
      let verdict = verdict(.colored) { $0.frame = frame(0xC0, 17, 8, 8, components) }
      #expect((verdict != "jpeg-frame") == isFine, "\(sampling)")
    }
  }

  @Test("Tables of 16 bits need SOF1")
  func wideTables() {
    let wide = JPEGProduct.segment(
      0xDB, [0x10] + (0..<64).flatMap { [$0 == 17 ? 1 : 0, 1] as [UInt8] })
    #expect(verdict { $0.quantization[0] = wide } == "jpeg-frame")
    let verdict = verdict {
      $0.quantization[0] = wide
      $0.frame[1] = 0xC1
    }
    #expect(verdict == nil)
  }

  @Test("Huffman tables are complete codes, and only those that are needed")
  func huffman() {
    let table = JPEGProduct.huffmanTable
    #expect(verdict { $0.huffman.append(table(0x01, [1: [0]])) } == "jpeg-unused-huffman")
    #expect(verdict { $0.huffman.append(table(0x11, [1: [0]])) } == "jpeg-unused-huffman")
    #expect(verdict { $0.huffman.append($0.huffman[1]) } == "jpeg-unused-huffman")
    #expect(verdict { $0.huffman.swapAt(0, 1) } == "jpeg-unused-huffman")
    #expect(verdict { $0.huffman.removeLast() } == "jpeg-unused-huffman")
    #expect(verdict { $0.huffman[1] = table(0x20, [1: [0], 2: [1], 3: [0xF0]]) } == "jpeg-huffman")
    #expect(verdict { $0.huffman[0][3] += 1 } == "jpeg-huffman")
    // More codes than bits allow, a repeated symbol, and symbols that 8-bit pictures don't have.
    #expect(verdict { $0.huffman[0] = table(0, [1: [0, 3, 4]]) } == "jpeg-huffman")
    #expect(verdict { $0.huffman[0] = table(0, [1: [0], 2: [3, 4], 3: [5]]) } == "jpeg-huffman")
    #expect(verdict { $0.huffman[0] = table(0, [1: [0], 2: [3], 3: [3]]) } == "jpeg-huffman")
    #expect(verdict { $0.huffman[0] = table(0, [1: [0], 2: [3], 3: [16]]) } == "jpeg-huffman")
    for symbol: UInt8 in [0x10, 0xE0, 0x0B, 0x0F, 0xFF] {
      #expect(
        verdict { $0.huffman[1] = table(0x10, [1: [0], 2: [1], 3: [0xF0, symbol]]) }
          == "jpeg-huffman")
    }
  }

  @Test("Unused codes carry no information")
  func huffmanEntries() {
    let table = JPEGProduct.huffmanTable
    // The last code must be in use.
    #expect(verdict { $0.huffman[0] = table(0, [1: [0], 2: [3], 3: [1]]) } == "jpeg-huffman-entry")
    #expect(
      verdict { $0.huffman[1] = table(0x10, [1: [0], 2: [1], 3: [0xF0], 4: [2]]) }
        == "jpeg-huffman-entry")
    // Unused codes before it are filled in: 0 stays, 10 is a gap, 110 is 3.
    let data = JPEGProduct.bits("110 101 10 1 0", "0 110 10 0 0")
    func gap(_ symbols: [Int: [UInt8]]) -> String? {
      verdict {
        $0.huffman[0] = table(0, symbols)
        $0.data = data
      }
    }
    #expect(gap([1: [0], 2: [1], 3: [3]]) == nil)
    #expect(gap([1: [0], 2: [2], 3: [3]]) == "jpeg-huffman-entry")
    #expect(gap([1: [0], 3: [1, 2, 3]]) != nil)
    // The fewest codes that fill the gap.
    let split = verdict {
      $0.huffman[0] = table(0, [1: [0], 3: [1, 2, 3]])
      $0.data = data
    }
    #expect(split != nil)
    let unsplit = verdict {
      $0.huffman[0] = table(0, [1: [0], 3: [1, 2, 3]])
      $0.data = JPEGProduct.bits("110 101 10 1 0", "0 110 10 0 0")
    }
    #expect(unsplit == "jpeg-huffman-entry")
  }

  @Test("Tables of T.81, annex K, may have unused codes")
  func standardTables() throws {
    for isLuma in [true, false] {
      let (dc, ac) = (
        JPEGHuffmanTable.typical(forDC: true, isLuma: isLuma),
        JPEGHuffmanTable.typical(forDC: false, isLuma: isLuma)
      )
      func bits(_ table: JPEGHuffmanTable, _ symbol: Int) -> String {
        let text = String(table.codes[symbol] >> 8, radix: 2)
        return String(repeating: "0", count: Int(table.codes[symbol] & 255) - text.count) + text
      }
      var product = JPEGProduct()
      product.huffman = [
        JPEGProduct.segment(0xC4, dc.payload(head: 0)),
        JPEGProduct.segment(0xC4, ac.payload(head: 0x10)),
      ]
      product.data = JPEGProduct.bits(
        bits(dc, 3), "101", bits(ac, 1), "1", bits(ac, 0), bits(dc, 0), bits(ac, 0xF0),
        bits(ac, 1), "0", bits(ac, 0))
      #expect(verdict(product) { _ in } == nil)
      #expect(verdict(product) { $0.huffman[1].swapAt(180, 181) } == "jpeg-huffman-entry")
      #expect(verdict(product) { $0.huffman[0].swapAt(31, 32) } == "jpeg-huffman-entry")
    }
  }

  @Test("A restart interval divides the data")
  func interval() {
    let interval = { JPEGProduct.segment(0xDD, $0) }
    for count: UInt8 in [0, 2, 9] {
      #expect(verdict(.restarted) { $0.interval = interval([0, count]) } == "jpeg-restart")
    }
    #expect(verdict(.restarted) { $0.interval = interval([0, 0, 1]) } == "jpeg-restart")
    #expect(verdict(.restarted) { $0.interval += $0.interval } == "jpeg-marker")
    #expect(verdict(.restarted) { $0.interval = [] } != nil)
  }

  @Test("The scan has all components and all coefficients")
  func scan() {
    let scan = JPEGProduct.scan
    #expect(verdict { $0.scan = scan([(1, 0)], [0, 62, 0]) } == "jpeg-scan")
    #expect(verdict { $0.scan = scan([(1, 0)], [1, 63, 0]) } == "jpeg-scan")
    #expect(verdict { $0.scan = scan([(1, 0)], [0, 63, 1]) } == "jpeg-scan")
    #expect(verdict { $0.scan = scan([(2, 0)], [0, 63, 0]) } == "jpeg-scan")
    #expect(verdict { $0.scan = scan([(1, 0x10)], [0, 63, 0]) } == "jpeg-scan")
    #expect(verdict { $0.scan = scan([(1, 0x01)], [0, 63, 0]) } == "jpeg-scan")
    #expect(verdict(.colored) { $0.scan = scan([(1, 0), (2, 0)], [0, 63, 0]) } == "jpeg-scan")
    #expect(
      verdict(.colored) { $0.scan = scan([(1, 0), (3, 0), (2, 0)], [0, 63, 0]) } == "jpeg-scan")
    #expect(
      verdict(.colored) { $0.scan = scan([(1, 0), (2, 0x11), (3, 0)], [0, 63, 0]) }
        == "jpeg-unused-huffman")
    #expect(verdict { $0.scan = [] } == "jpeg-stray-bytes")
  }
}
