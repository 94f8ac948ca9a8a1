@testable import ImageContainers

/// A small JPEG in pieces, in which tests plant foreign data. Without changes it is a valid product: gray, 16 × 8
/// pixels, with no unused entry in any table that could carry information.
struct JPEGProduct {
  var color = segment(0xE0, Array("JFIF".utf8) + [0, 1, 1, 0, 0, 1, 0, 1, 0, 0])
  var quantization: [[UInt8]] = [quantizationTable(0, [0: 7, 1: 9, 17: 11])]
  var frame = JPEGProduct.frame()
  /// The codes for DC: 0 is a difference of 0 bits, and 10 one of 3 bits. The codes for AC: 0 ends a block, 10 is a
  /// value of 1 bit, and 110 is 16 zeros.
  var huffman: [[UInt8]] = [
    huffmanTable(0x00, [1: [0], 2: [3]]), huffmanTable(0x10, [1: [0], 2: [1], 3: [0xF0]]),
  ]
  var interval: [UInt8] = []
  var scan = JPEGProduct.scan()
  /// Two blocks: the average 5 and a 1 at place 1, then the same average and a −1 at place 17.
  var data = bits("10 101 10 1 0", "0 110 10 0 0")
  var end: [UInt8] = [0xFF, 0xD9]

  var bytes: [UInt8] {
    [0xFF, 0xD8] + color + quantization.flatMap { $0 } + frame + huffman.flatMap { $0 } + interval
      + scan + data + end
  }

  /// A product in color, 17 × 8 pixels, with chroma halved both ways. It has two units with four blocks of luma each,
  /// five of which are outside the picture.
  static var colored: JPEGProduct {
    var product = JPEGProduct()
    product.quantization = [quantizationTable(0, [0: 7, 1: 9, 17: 11]), quantizationTable(1, [:])]
    product.frame = frame(width: 17, components: [(1, 0x22, 0), (2, 0x11, 1), (3, 0x11, 1)])
    product.scan = scan([(1, 0), (2, 0), (3, 0)])
    product.data = bits("10 101 10 1 0", "0 110 10 0 0", "00 00 00 00", "00 00 00 00 00 00")
    return product
  }

  /// A product of two units with a restart marker between them.
  static var restarted: JPEGProduct {
    var product = JPEGProduct()
    product.interval = segment(0xDD, [0, 1])
    product.data = bits("10 101 10 1 0") + [0xFF, 0xD0] + bits("0 110 10 0 0")
    return product
  }

  static func segment(_ marker: UInt8, _ payload: [UInt8]) -> [UInt8] {
    let length = payload.count + 2
    return [0xFF, marker, UInt8(length >> 8), UInt8(length & 255)] + payload
  }

  /// Returns a quantization table of ones, except for these values.
  static func quantizationTable(_ head: UInt8, _ values: [Int: UInt8]) -> [UInt8] {
    let table = (0..<64).map { values[$0] ?? 1 }
    return segment(0xDB, [head] + (head < 16 ? table : table.flatMap { [1, $0] }))
  }

  /// - Parameter symbols: the symbols by the length of their codes.
  static func huffmanTable(_ head: UInt8, _ symbols: [Int: [UInt8]]) -> [UInt8] {
    let counts = (1...16).map { UInt8(symbols[$0]?.count ?? 0) }
    return segment(0xC4, [head] + counts + (1...16).flatMap { symbols[$0] ?? [] })
  }

  static func frame(
    _ marker: UInt8 = 0xC0, width: Int = 16, height: Int = 8, precision: UInt8 = 8,
    components: [(id: UInt8, sampling: UInt8, table: UInt8)] = [(1, 0x11, 0)]
  ) -> [UInt8] {
    let size = [height >> 8, height & 255, width >> 8, width & 255].map { UInt8($0) }
    return segment(
      marker,
      [precision] + size + [UInt8(components.count)]
        + components.flatMap { [$0.id, $0.sampling, $0.table] })
  }

  static func scan(
    _ components: [(id: UInt8, tables: UInt8)] = [(1, 0)], band: [UInt8] = [0, 63, 0]
  ) -> [UInt8] {
    segment(
      0xDA, [UInt8(components.count)] + components.flatMap { [$0.id, $0.tables] } + band)
  }

  /// Returns bits as bytes. The last byte is filled with ones, and a zero follows each 0xFF.
  static func bits(_ texts: String..., padding: Character = "1") -> [UInt8] {
    var digits = texts.joined().filter { $0 != " " }
    while digits.count % 8 > 0 { digits.append(padding) }
    var bytes: [UInt8] = []
    while !digits.isEmpty {
      let byte = UInt8(digits.prefix(8), radix: 2)!
      bytes += byte == 0xFF ? [0xFF, 0] : [byte]
      digits.removeFirst(8)
    }
    return bytes
  }
}

/// A suite that passes products to the proof.
protocol JPEGProofSuite {}

extension JPEGProofSuite {
  /// Returns the proof's error for a changed product; `nil` if the proof accounts for every byte.
  func verdict(
    _ product: JPEGProduct = JPEGProduct(), _ change: (inout JPEGProduct) -> Void = { _ in }
  ) -> String? {
    var product = product
    change(&product)
    return Self.verdict(product.bytes)
  }

  static func verdict(_ bytes: [UInt8]) -> String? {
    do throws(ProofError) {
      _ = try ContainerProof.verify(bytes, as: .jpeg)
      return nil
    } catch { return error.problem }
  }
}
