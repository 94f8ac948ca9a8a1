/// The few zlib streams that are made here (RFC 1950 and 1951). All others come from encoders.
enum ZlibStream {
  /// Returns a stream with uncompressed bytes.
  static func stored(_ bytes: [UInt8]) -> [UInt8] {
    var stream: [UInt8] = [0x78, 0x01]
    stream.reserveCapacity(bytes.count + bytes.count / 8_192 + 16)
    var start = 0
    repeat {
      let end = min(start + 0xFFFF, bytes.count)
      let size = UInt16(end - start)
      stream.append(end == bytes.count ? 1 : 0)
      for number in [size, ~size] { stream += [UInt8(number & 0xFF), UInt8(number >> 8)] }
      stream += bytes[start..<end]
      start = end
    } while start < bytes.count
    var adler = PNGProofAdler()
    bytes.withUnsafeBufferPointer { adler.add($0) }
    return stream + .big(Int(adler.value))
  }

  /// Returns a stream of this many zeros without running a compressor: one literal, then matches of 258 zeros with two
  /// bits each, then literals.
  static func zeros(_ count: Int) -> [UInt8] {
    let (matches, literals) = (count - 1).quotientAndRemainder(dividingBy: 258)
    guard matches > 0 else { return stored([UInt8](repeating: 0, count: count)) }
    var stream: [UInt8] = [0x78, 0x9C]
    var bits = 0
    var bitCount = 0
    func put(_ value: Int, _ width: Int) {
      bits |= value << bitCount
      bitCount += width
      while bitCount >= 8 {
        stream.append(UInt8(bits & 0xFF))
        bits >>= 8
        bitCount -= 8
      }
    }
    // The last block, with its own codes: 286 lengths, one distance, 18 lengths of those lengths (3.2.7).
    for (value, width) in [(1, 1), (2, 2), (29, 5), (0, 5), (14, 4)] { put(value, width) }
    for length in [0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 2] { put(length, 3) }
    // Two bits for a zero and for the end, one bit for a match and for its distance. Unused codes between them are run
    // lengths.
    for (value, width) in [
      (3, 2), (0, 1), (127, 7), (0, 1), (106, 7), (3, 2), (0, 1), (17, 7), (1, 2), (1, 2),
    ] { put(value, width) }
    put(1, 2)
    for _ in 0..<matches { put(0, 2) }
    for _ in 0..<literals { put(1, 2) }
    put(3, 2)
    put(0, -bitCount & 7)
    return stream + .big((count % 65_521) << 16 | 1)
  }
}
