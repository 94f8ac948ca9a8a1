/// Writes bits, the highest of a byte first, without stuffed zeros.
struct JPEGBitWriter {
  private(set) var bytes: [UInt8]
  /// The index in `bytes` of the next eight bytes.
  private var position = 0
  /// The bits of a word that isn't full yet, the last one lowest. `room` is the number of bits that still fit. `write`
  /// also stores them in `bytes` when it ends.
  private var rest: UInt64 = 0
  private var room = 64

  /// The number of bits written.
  var count: Int { position * 8 + 64 - room }

  init(capacity: Int) { bytes = Array(repeating: 0, count: max(64, capacity)) }

  mutating func reserve(_ bits: Int) {
    let needed = (count + bits) / 8 + 16
    guard needed > bytes.count else { return }
    bytes += [UInt8](repeating: 0, count: max(needed - bytes.count, bytes.count / 2))
  }

  /// Lends `body` a pen that writes into the room made by `reserve`.
  mutating func write<Result>(_ body: (inout Pen) -> Result) -> Result {
    bytes.withUnsafeMutableBytes { buffer in
      var pen = Pen(buffer: buffer, position: position, rest: rest, room: room)
      defer {
        position = pen.position
        rest = pen.rest
        room = pen.room
        buffer.storeBytes(
          of: (rest << UInt64(room)).bigEndian, toByteOffset: position, as: UInt64.self)
      }
      return body(&pen)
    }
  }

  /// Fills the last byte with ones (T.81, F.1.2.3) and returns all bytes.
  mutating func finish() -> ArraySlice<UInt8> {
    let missing = (8 - count & 7) & 7
    reserve(missing)
    write { $0.put(1 << UInt64(missing) - 1, missing) }
    return bytes[..<(count / 8)]
  }

  struct Pen {
    fileprivate let buffer: UnsafeMutableRawBufferPointer
    fileprivate var position: Int
    fileprivate var rest: UInt64
    fileprivate var room: Int

    /// The number of bits written, including those before this pen.
    @inline(__always)
    var count: Int { position &* 8 &+ 64 &- room }

    /// Writes the lowest `width` bits (0 to 63) of `value`. Its other bits must be zero.
    @inline(__always)
    mutating func put(_ value: UInt64, _ width: Int) {
      room &-= width
      guard room < 0 else {
        rest = rest &<< UInt64(truncatingIfNeeded: width) | value
        return
      }
      let first = rest &<< UInt64(truncatingIfNeeded: width &+ room)
      let word = first | value &>> UInt64(truncatingIfNeeded: 0 &- room)
      buffer.storeBytes(of: word.bigEndian, toByteOffset: position, as: UInt64.self)
      position &+= 8
      // `value` also contains bits that are written already. They are shifted out before the next word is stored.
      rest = value
      room &+= 64
    }

    /// Writes the bits from `start` to `end` of bytes that a `JPEGBitWriter` wrote.
    @inline(__always)
    mutating func copy(_ bytes: UnsafeRawBufferPointer, from start: Int, to end: Int) {
      var start = start
      while start < end {
        let word = UInt64(
          bigEndian: bytes.loadUnaligned(fromByteOffset: start >> 3, as: UInt64.self))
        let width = min(56, end &- start)
        put(
          (word &<< UInt64(start & 7)) &>> UInt64(truncatingIfNeeded: 64 &- width), width)
        start &+= width
      }
    }
  }
}
