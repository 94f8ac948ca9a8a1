/// The CRC-32 of PNG chunks, computed eight bytes at a time (W3C PNG Third Edition, 5.5 and annex D).
enum CRC32 {
  /// Eight consecutive tables of 256 entries. Table k advances a byte's contribution over k zero bytes.
  private static let tables: [UInt32] = {
    var tables = [UInt32](repeating: 0, count: 8 * 256)
    for byte in 0..<256 {
      var value = UInt32(byte)
      for _ in 0..<8 { value = value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1 }
      tables[byte] = value
    }
    for index in 256..<tables.count {
      let previous = tables[index - 256]
      tables[index] = tables[Int(previous & 0xFF)] ^ (previous >> 8)
    }
    return tables
  }()

  /// Returns the checksum of `range`, which must be inside `bytes`.
  static func checksum(_ bytes: [UInt8], in range: Range<Int>) -> UInt32 {
    tables.withUnsafeBufferPointer { table in
      bytes.withUnsafeBufferPointer { buffer in
        let data = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[range])
        var crc = UInt32.max
        var index = 0
        while data.count - index >= 8 {
          let word = UInt64(
            littleEndian: data.loadUnaligned(fromByteOffset: index, as: UInt64.self))
          let mixed = word ^ UInt64(crc)
          crc = table[1792 + Int(mixed & 0xFF)]
          crc ^= table[1536 + Int(mixed >> 8 & 0xFF)]
          crc ^= table[1280 + Int(mixed >> 16 & 0xFF)]
          crc ^= table[1024 + Int(mixed >> 24 & 0xFF)]
          crc ^= table[768 + Int(mixed >> 32 & 0xFF)]
          crc ^= table[512 + Int(mixed >> 40 & 0xFF)]
          crc ^= table[256 + Int(mixed >> 48 & 0xFF)]
          crc ^= table[Int(mixed >> 56)]
          index += 8
        }
        while index < data.count {
          crc = table[Int((crc ^ UInt32(data[index])) & 0xFF)] ^ (crc >> 8)
          index += 1
        }
        return ~crc
      }
    }
  }
}
