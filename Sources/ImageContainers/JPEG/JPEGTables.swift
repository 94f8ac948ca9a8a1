/// The tables that were defined before a scan. Later definitions replace earlier ones.
struct JPEGTables {
  /// The quantization steps of all coefficients, in zigzag order, by table number.
  private(set) var quantization: [Int: [UInt16]] = [:]
  /// The number of codes of each length and the symbols, by class << 4 | number as in the segment (class 0 DC, 1 AC).
  /// Their validity is not checked here.
  private(set) var huffman: [Int: (counts: ArraySlice<UInt8>, symbols: ArraySlice<UInt8>)] = [:]
  /// The number of minimum coded units between restart markers, or 0 without restart markers.
  private(set) var restartInterval = 0

  /// The bounds of small differences or coefficients in arithmetic coding, by class << 4 | number.
  private(set) var conditioning: [Int: Int] = [:]

  /// Reads a segment that contains tables, and ignores other segments.
  mutating func parseSegment(_ bytes: [UInt8], _ segment: JPEGSegment) throws(ContainerError) {
    switch segment.marker {
    case JPEGMarker.dqt: try readQuantization(bytes, segment)
    case JPEGMarker.dht: try readHuffman(bytes, segment)
    case JPEGMarker.dac:
      for pair in stride(
        from: segment.payload.lowerBound, to: segment.payload.upperBound - 1, by: 2)
      {
        conditioning[Int(bytes[pair])] = Int(bytes[pair + 1])
      }
    case JPEGMarker.dri:
      guard segment.payload.count == 2 else {
        throw .malformed("jpeg-restart-length", offset: segment.range.lowerBound)
      }
      var reader = ByteReader(bytes, in: segment.payload)
      restartInterval = try reader.big(2, "jpeg-restart")
    default: break
    }
  }

  /// Reads quantization tables (T.81, B.2.4.1).
  private mutating func readQuantization(
    _ bytes: [UInt8], _ segment: JPEGSegment
  ) throws(ContainerError) {
    let error = ContainerError.malformed("jpeg-quantization", offset: segment.range.lowerBound)
    var reader = ByteReader(bytes, in: segment.payload)
    while !reader.isAtEnd {
      let head = try reader.u8("jpeg-quantization")
      let valueSize = head >> 4 == 0 ? 1 : 2
      guard head & 15 < 4, 64 * valueSize <= reader.remaining else { throw error }
      let values = bytes[try reader.range(64 * valueSize, for: "jpeg-quantization")]
      quantization[head & 15] = (0..<64).map { index in
        let place = values.startIndex + index * valueSize
        return valueSize == 1
          ? UInt16(values[place]) : UInt16(values[place]) << 8 | UInt16(values[place + 1])
      }
    }
  }

  /// Reads Huffman tables (T.81, B.2.4.2).
  private mutating func readHuffman(
    _ bytes: [UInt8], _ segment: JPEGSegment
  ) throws(ContainerError) {
    let error = ContainerError.malformed("jpeg-huffman", offset: segment.range.lowerBound)
    var reader = ByteReader(bytes, in: segment.payload)
    while !reader.isAtEnd {
      guard reader.remaining >= 17 else { throw error }
      let head = try reader.u8("jpeg-huffman")
      let counts = bytes[try reader.range(16, for: "jpeg-huffman")]
      let values = counts.reduce(0) { $0 + Int($1) }
      guard head & 0xEC == 0, values <= 256, values <= reader.remaining else { throw error }
      huffman[head] = (counts, bytes[try reader.range(values, for: "jpeg-huffman")])
    }
  }
}
