/// The Adler-32 of decompressed data (RFC 1950, 8.2).
struct PNGProofAdler {
  private var low: UInt32 = 1
  private var high: UInt32 = 0

  var value: UInt32 { high << 16 | low }

  /// Adds sixteen bytes at a time. Each lane sums its own bytes and their weights.
  mutating func add(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let base = bytes.baseAddress else { return }
    var offset = 0
    while bytes.count - offset >= 16 {
      // In 256 steps, no lane exceeds 32 bits.
      let steps = min(256, (bytes.count - offset) / 16)
      var sums = SIMD16<UInt32>()
      var weighted = SIMD16<UInt32>()
      for step in 0..<steps {
        weighted &+= sums
        let part = UnsafeRawPointer(base).loadUnaligned(
          fromByteOffset: offset + step * 16, as: SIMD16<UInt8>.self)
        sums &+= SIMD16<UInt32>(truncatingIfNeeded: part)
      }
      high += low &* UInt32(steps * 16) &+ weighted.wrappedSum() &* 16
      for lane in 0..<16 { high += sums[lane] * UInt32(16 - lane) }
      high %= 65_521
      low = (low + sums.wrappedSum()) % 65_521
      offset += steps * 16
    }
    for index in offset..<bytes.count {
      low = (low + UInt32(base[index])) % 65_521
      high = (high + low) % 65_521
    }
  }
}
