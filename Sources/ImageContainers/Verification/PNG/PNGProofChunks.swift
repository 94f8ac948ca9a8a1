/// The chunks of a PNG in the order in which the proof reads them, with checked checksums. The proof has its own reader
/// so that it also finds what `PNGStructure` and `CRC32` overlook.
struct PNGProofChunks {
  private var reader: ByteReader
  /// The type of the next chunk, or empty at the end of the file.
  private(set) var next = ""
  /// The range of the next chunk's data.
  private(set) var data = 0..<0

  init(_ bytes: [UInt8]) throws(ProofError) {
    reader = ByteReader(bytes)
    let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    guard bytes.starts(with: signature) else { throw ProofError("png-signature", offset: 0) }
    reader.offset = signature.count
    try advance()
  }

  mutating func takeChunk(_ type: String) throws(ProofError) -> Range<Int>? {
    guard next == type else { return nil }
    let taken = data
    try advance()
    return taken
  }

  /// Consumes the next chunk, which must have this type and, if given, this length.
  mutating func demand(
    _ type: String, count: Int? = nil
  ) throws(ProofError) -> Range<Int> {
    let offset = data.lowerBound
    guard let taken = try takeChunk(type), count == nil || taken.count == count else {
      throw ProofError("png-chunk-order", offset: offset)
    }
    return taken
  }

  /// Returns an unsigned big-endian number of a chunk.
  func number(at offset: Int, count: Int = 4) -> Int {
    reader.bytes[offset..<offset + count].reduce(0) { $0 << 8 | Int($1) }
  }

  private mutating func advance() throws(ProofError) {
    let start = reader.offset
    guard !reader.isAtEnd else {
      next = ""
      data = start..<start
      return
    }
    do throws(ContainerError) {
      let count = try reader.big(4, "length")
      let type = try reader.range(4, for: "type")
      data = try reader.range(count, for: "data")
      next = String(decoding: reader.bytes[type], as: UTF8.self)
      let stored = try reader.big(4, "checksum")
      guard Self.checksum(reader.bytes, in: type.lowerBound..<data.upperBound) == stored else {
        throw .malformed("checksum", offset: start)
      }
    } catch {
      throw ProofError("png-chunk", offset: start)
    }
  }

  /// The remainders of a byte followed by 0 to 7 zero bytes, 256 each.
  private static let remainders: [UInt32] = {
    var table = (0..<256).map { byte in
      (0..<8).reduce(UInt32(byte)) { value, _ in value >> 1 ^ (value & 1) &* 0xEDB8_8320 }
    }
    for index in 256..<2_048 {
      table.append(table[index - 256] >> 8 ^ table[Int(table[index - 256] & 0xFF)])
    }
    return table
  }()

  /// Computes the CRC-32 (annex D). It processes eight bytes at a time through pointers, because every byte of a photo
  /// passes here.
  private static func checksum(_ bytes: [UInt8], in range: Range<Int>) -> Int {
    bytes.withUnsafeBytes { bytes in
      remainders.withUnsafeBufferPointer { table in
        var crc = UInt32.max
        var offset = range.lowerBound
        while range.upperBound - offset >= 8 {
          let low = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self).littleEndian ^ crc
          let high = bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self).littleEndian
          let first =
            table[0x700 + Int(low & 0xFF)] ^ table[0x600 + Int(low >> 8 & 0xFF)]
            ^ table[0x500 + Int(low >> 16 & 0xFF)] ^ table[0x400 + Int(low >> 24)]
          let second =
            table[0x300 + Int(high & 0xFF)] ^ table[0x200 + Int(high >> 8 & 0xFF)]
            ^ table[0x100 + Int(high >> 16 & 0xFF)] ^ table[Int(high >> 24)]
          crc = first ^ second
          offset += 8
        }
        for offset in offset..<range.upperBound {
          crc = crc >> 8 ^ table[Int(crc & 0xFF) ^ Int(bytes[offset])]
        }
        return Int(~crc)
      }
    }
  }
}
