/// The tables that stand before a scan, as the last segment that defines each has them. For files
/// whose segments `JPEGFrame.follow` found in order.
struct JPEGTables {
  /// By number: 64 values in zigzag order (T.81, B.2.4.1).
  private(set) var quantization: [Int: [Int]] = [:]
  /// By number (T.81, B.2.4.2); a table that is none leaves its number empty.
  private(set) var dc: [Int: JPEGHuffmanTable] = [:]
  private(set) var ac: [Int: JPEGHuffmanTable] = [:]
  /// Minimum coded units between restart markers, 0 for none (T.81, B.2.4.4).
  private(set) var restartInterval = 0

  /// Reads all tables in front of the first scan.
  init(_ bytes: [UInt8], _ segments: JPEGSegments) throws(ContainerError) {
    for segment in segments.list {
      var reader = ByteReader(bytes, in: segment.payload)
      switch segment.marker {
      case JPEGMarker.dqt: try readQuantization(&reader)
      case JPEGMarker.dht: try readHuffman(&reader)
      case JPEGMarker.dri: restartInterval = try reader.big(2, "jpeg-restart")
      case JPEGMarker.sos: return
      default: break
      }
    }
  }

  private mutating func readQuantization(_ reader: inout ByteReader) throws(ContainerError) {
    while !reader.isAtEnd {
      let head = try reader.u8("jpeg-quantization")
      var values: [Int] = []
      for _ in 0..<64 { values.append(try reader.big(head >> 4 == 0 ? 1 : 2, "jpeg-quantization")) }
      quantization[head & 15] = values
    }
  }

  private mutating func readHuffman(_ reader: inout ByteReader) throws(ContainerError) {
    while !reader.isAtEnd {
      let head = try reader.u8("jpeg-huffman")
      let counts = reader.bytes[try reader.range(16, for: "jpeg-huffman")]
      let count = counts.reduce(0) { $0 + Int($1) }
      let symbols = reader.bytes[try reader.range(count, for: "jpeg-huffman")]
      let table = JPEGHuffmanTable(counts: counts, symbols: symbols)
      if head >> 4 == 0 { dc[head & 15] = table } else { ac[head & 15] = table }
    }
  }
}
