/// Writes bits, the highest of a byte first, without stuffed zeros.
struct JPEGBitWriter {
  private(set) var bytes: [UInt8]
  /// Bits written.
  private(set) var count = 0
  /// Bits that `bytes` lacks yet, the first of them highest; fewer than 8.
  private var rest: UInt64 = 0

  init(capacity: Int) { bytes = Array(repeating: 0, count: max(64, capacity)) }

  /// Makes room for so many bits.
  mutating func reserve(_ bits: Int) {
    let needed = (count + bits) / 8 + 16
    guard needed > bytes.count else { return }
    bytes += [UInt8](repeating: 0, count: max(needed - bytes.count, bytes.count / 2))
  }

  /// Lends what writes into the room made by `reserve`.
  mutating func write<Result>(_ body: (inout Pen) -> Result) -> Result {
    bytes.withUnsafeMutableBytes { buffer in
      var pen = Pen(buffer: buffer, count: count, rest: rest)
      defer { (count, rest) = (pen.count, pen.rest) }
      return body(&pen)
    }
  }

  /// Fills the last byte with ones (T.81, F.1.2.3) and gives all bytes.
  mutating func finish() -> ArraySlice<UInt8> {
    let missing = (8 - count & 7) & 7
    reserve(missing)
    write { $0.put(1 << UInt64(missing) - 1, missing) }
    return bytes[..<(count / 8)]
  }

  struct Pen {
    fileprivate let buffer: UnsafeMutableRawBufferPointer
    fileprivate(set) var count: Int
    fileprivate var rest: UInt64

    /// Writes the lowest `width` bits of `value`, which has no others; 0 to 32.
    @inline(__always)
    mutating func put(_ value: UInt64, _ width: Int) {
      let used = count & 7
      rest |= value &<< UInt64(truncatingIfNeeded: 64 &- used &- width)
      buffer.storeBytes(of: rest.bigEndian, toByteOffset: count >> 3, as: UInt64.self)
      let whole = (used &+ width) & ~7
      rest = rest &<< UInt64(truncatingIfNeeded: whole)
      count &+= width
    }

    /// Writes the bits from `start` to `end` of bytes that were written so.
    @inline(__always)
    mutating func copy(_ bytes: UnsafeRawBufferPointer, from start: Int, to end: Int) {
      var start = start
      while start < end {
        let word = UInt64(
          bigEndian: bytes.loadUnaligned(fromByteOffset: start >> 3, as: UInt64.self))
        let width = min(32, end &- start)
        put(
          (word &<< UInt64(start & 7)) &>> UInt64(truncatingIfNeeded: 64 &- width), width)
        start &+= width
      }
    }
  }
}
