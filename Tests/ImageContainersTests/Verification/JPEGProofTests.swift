import Testing

@testable import ImageContainers

@Suite("The proof of a JPEG")
struct JPEGProofTests: JPEGProofSuite {
  @Test("Products are verified")
  func products() throws {
    #expect(verdict() == nil)
    #expect(verdict(.colored) == nil)
    #expect(verdict(.restarted) == nil)
    #expect(verdict { $0.color = [] } == nil)
    let verified = try ContainerProof.verify(JPEGProduct.colored.bytes, as: .jpeg)
    #expect((verified.width, verified.height, verified.frameCount) == (17, 8, 1))
    let reduced = try #require(verified.reduced)
    // Each sample is 128 + 5 * 7 / 8.
    #expect((reduced.width, reduced.height, reduced.bands) == (3, 1, 3))
    #expect(reduced.samples == [UInt8](repeating: 132, count: 9))
  }

  @Test(
    "Files from libjpeg and from our own turning are verified, and have the announced small picture"
  )
  func ordinary() throws {
    for name in JPEGTurningTests.ordinary {
      let clean = try JPEGTurningTests.clean(name)
      let upright = try #require(try JPEGContainer.turned(clean, orientation: 6))
      for file in [clean, upright] {
        let read = try #require(try JPEGTurningTests.stored(file))
        let reduced = try #require(try ContainerProof.verify(read, as: .jpeg).reduced)
        let size = try #require(ContainerProof.reducedSize(of: read, as: .jpeg))
        #expect((reduced.width, reduced.height) == size, "\(name)")
      }
    }
  }

  @Test("Data around the picture is detected")
  func surroundings() {
    let comment = JPEGProduct.segment(0xFE, Array("hello".utf8))
    #expect(verdict { $0.end.append(0) } == "jpeg-after-eoi")
    #expect(verdict { $0.end += $0.bytes } == "jpeg-after-eoi")
    #expect(verdict { $0.end = [] } == "jpeg-after-last-code")
    #expect(verdict { $0.color[9] = 2 } == "jpeg-jfif")
    #expect(verdict { $0.color += $0.color } == "jpeg-marker")
    #expect(verdict { $0.color += comment } == "jpeg-marker")
    #expect(verdict { $0.color += [0xFF] } == "jpeg-marker")
    #expect(verdict { $0.color += [0] } == "jpeg-stray-bytes")
    #expect(verdict { $0.frame += comment } == "jpeg-marker")
    #expect(verdict { $0.interval += comment } == "jpeg-marker")
    for marker: UInt8 in [0xE1, 0xE2, 0xED, 0xFE, 0xCC, 0xC8, 0xDC] {
      let planted = JPEGProduct.segment(marker, [0x10, 1])
      #expect(verdict { $0.huffman[1] += planted } == "jpeg-marker")
      #expect(verdict { $0.data += planted } == "jpeg-after-last-code")
    }
    #expect(Self.verdict([]) == "jpeg-short")
    #expect(Self.verdict([0x89, 0x50, 0x4E, 0x47]) == "jpeg-soi")
    let whole = JPEGProduct.colored.bytes
    for count in whole.indices { #expect(Self.verdict(Array(whole.prefix(count))) != nil) }
  }

  @Test("Adobe's segment is accepted only where it has an effect")
  func adobe() {
    func adobe(_ transform: UInt8, version: UInt8 = 100) -> [UInt8] {
      JPEGProduct.segment(0xEE, Array("Adobe".utf8) + [0, version, 0, 0, 0, 0, transform])
    }
    #expect(verdict(.colored) { $0.color = adobe(0) } == nil)
    #expect(verdict(.colored) { $0.color = adobe(1) } == nil)
    #expect(verdict(.colored) { $0.color = adobe(2) } == "jpeg-adobe")
    #expect(verdict(.colored) { $0.color = adobe(1, version: 101) } == "jpeg-adobe")
    #expect(verdict(.colored) { $0.color += adobe(1) } == "jpeg-marker")
    #expect(verdict { $0.color = adobe(1) } == "jpeg-adobe-gray")
  }

  @Test("Colors other than YCbCr are verified, and a decoder makes the small picture")
  func otherColors() throws {
    var product = JPEGProduct.colored
    product.color = []
    let ids = Array("RGB".utf8)
    product.frame = JPEGProduct.frame(
      width: 17, components: [(ids[0], 0x22, 0), (ids[1], 0x11, 1), (ids[2], 0x11, 1)])
    product.scan = JPEGProduct.scan(ids.map { ($0, 0) })
    #expect(try ContainerProof.verify(product.bytes, as: .jpeg).reduced == nil)
    #expect(ContainerProof.reducedSize(of: product.bytes, as: .jpeg) == nil)
  }

  @Test("Quantization tables are only those that are needed")
  func quantization() {
    let table = JPEGProduct.quantizationTable
    #expect(verdict { $0.quantization.append(table(1, [:])) } == "jpeg-unused-quantization")
    #expect(verdict { $0.quantization.append(table(0, [:])) } == "jpeg-quantization")
    #expect(verdict { $0.quantization[0] = table(3, [:]) } == "jpeg-quantization")
    #expect(verdict { $0.quantization = [] } == "jpeg-unused-quantization")
    #expect(verdict { $0.quantization[0].replaceSubrange(2...3, with: [0, 68]) } != nil)
    #expect(verdict { $0.quantization[0][4] = 0x20 } == "jpeg-quantization")
    // A table of 16 bits for values of 8 bits.
    let wide = [0xFF, 0xDB, 0, 131, 0x10] + [UInt8](repeating: 0, count: 128)
    #expect(verdict { $0.quantization[0] = wide } == "jpeg-quantization")
    for id in 0...4 as ClosedRange<UInt8> {
      #expect((verdict { $0.quantization.append(table(id, [:])) }) != nil)
    }
  }

  @Test("Unused values of a quantization table carry no information")
  func quantizationValues() {
    let table = JPEGProduct.quantizationTable
    let used: [Int: UInt8] = [0: 7, 1: 9, 17: 11]
    for place in 0..<64 {
      var values = used
      values[place] = 65
      #expect(
        verdict { $0.quantization[0] = table(0, values) }
          == (used.keys.contains(place) ? nil : "jpeg-quantization-value"))
      values[place] = 0
      #expect(verdict { $0.quantization[0] = table(0, values) } == "jpeg-quantization-value")
    }
    // The whole picture is medium gray, so even the first value is unused.
    #expect(verdict { $0.data = JPEGProduct.bits("0 0 0 0") } == "jpeg-quantization-value")
  }

  @Test("The average counts as used, even if all other coefficients were used before it")
  func averageComesLast() {
    // A block with the average 0 and 63 values, then one with only the average 5.
    let coefficients = String(repeating: "01", count: 63)
    func verdict(_ second: String) -> String? {
      self.verdict {
        $0.quantization[0] = JPEGProduct.quantizationTable(
          0, Dictionary(uniqueKeysWithValues: (0..<64).map { ($0, 7) }))
        $0.huffman[1] = JPEGProduct.huffmanTable(0x10, [1: [1], 2: [0]])
        $0.data = JPEGProduct.bits("0", coefficients, second)
      }
    }
    #expect(verdict("10 101 10") == nil)
    // Without that block, the first step of the table is unused.
    #expect(verdict("0 10") == "jpeg-quantization-value")
  }

  @Test("Codes that are too long for one lookup count as well")
  func longCodes() throws {
    // The codes for AC: 0 ends a block, and 13 ones and a zero are a value of 1 bit. The codes before that one are
    // filled in.
    let fill: [Int: [UInt8]] = [
      2: [0x02], 3: [0x03], 4: [0x04], 5: [0x05], 6: [0x06], 7: [0x07], 8: [0x08], 9: [0x09],
      10: [0x0A], 11: [0x11], 12: [0x12], 13: [0x13], 14: [0x01],
    ]
    func verdict(_ symbols: [Int: [UInt8]], _ values: [Int: UInt8]) -> String? {
      self.verdict {
        $0.quantization[0] = JPEGProduct.quantizationTable(0, values)
        $0.huffman[1] = JPEGProduct.huffmanTable(0x10, symbols)
        $0.data = JPEGProduct.bits("10 101 11111111111110 1 0", "0 0")
      }
    }
    let table = fill.merging([1: [0]]) { $1 }
    #expect(verdict(table, [0: 7, 1: 9]) == nil)
    #expect(verdict(table, [0: 7, 2: 9]) == "jpeg-quantization-value")
    #expect(verdict(table, [0: 7, 1: 0]) == "jpeg-quantization-value")
    #expect(verdict(table.merging([13: [0x14]]) { $1 }, [0: 7, 1: 9]) == "jpeg-huffman-entry")
    #expect(verdict(table.merging([15: [0x14]]) { $1 }, [0: 7, 1: 9]) == "jpeg-huffman-entry")
  }

  @Test("Standard tables of libjpeg reveal only a quality")
  func standardQuantization() {
    // These are the tables for quality 50, 75 and 100.
    let luma: [UInt8] = [
      16, 11, 12, 14, 12, 10, 16, 14, 13, 14, 18, 17, 16, 19, 24, 40, 26, 24, 22, 22, 24, 49, 35,
      37, 29, 40, 58, 51, 61, 60, 57, 51, 56, 55, 64, 72, 92, 78, 64, 68, 87, 69, 55, 56, 80, 109,
      81, 87, 95, 98, 103, 104, 103, 62, 77, 113, 121, 112, 100, 120, 92, 101, 103, 99,
    ]
    for scale in [100, 50, 0] {
      let table = luma.map { UInt8(max(1, (Int($0) * scale + 50) / 100)) }
      #expect(verdict { $0.quantization[0] = JPEGProduct.segment(0xDB, [0] + table) } == nil)
      let exchanged = JPEGTurn(orientation: 5).quantization(table.map(UInt16.init)).map {
        UInt8($0)
      }
      #expect(verdict { $0.quantization[0] = JPEGProduct.segment(0xDB, [0] + exchanged) } == nil)
      var changed = table
      changed[63] += 1
      #expect(
        verdict { $0.quantization[0] = JPEGProduct.segment(0xDB, [0] + changed) }
          == "jpeg-quantization-value")
    }
  }
}
