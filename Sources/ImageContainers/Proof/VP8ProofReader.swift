/// The bool decoder of RFC 6386 (7.3), which remembers how far it looked.
///
/// A bool is told by eight bits of the data, from as many bits on as have been shifted out before. A
/// byte counts as read when a bool looked at one of its bits.
struct VP8ProofReader {
  private let data: UnsafePointer<UInt8>
  private let fileEnd: Int
  private let start: Int
  private let end: Int
  private var position: Int
  /// Read bits not shifted out yet, the next of them highest; `spare` lie below the eight that the
  /// next bool looks at.
  private var value: UInt64 = 0
  private var spare = -8
  /// One less than the range, 127 to 254.
  private var range: UInt32 = 254
  private var lastShift = 0

  /// A reader of `partition`; `file` outlives it.
  init(_ file: UnsafeBufferPointer<UInt8>, in partition: Range<Int>) {
    data = file.baseAddress.unsafelyUnwrapped
    fileEnd = file.count
    (start, end, position) = (partition.lowerBound, partition.upperBound, partition.lowerBound)
  }

  @inline(__always)
  mutating func bool(_ probability: UInt8) -> Bool {
    if spare < 0 { load() }
    let split = (range &* UInt32(probability)) &>> 8
    let isSet = UInt32(truncatingIfNeeded: value &>> UInt64(spare)) > split
    if isSet {
      value &-= UInt64(split &+ 1) &<< UInt64(spare)
      range &-= split
    } else {
      range = split &+ 1
    }
    let shift = range.leadingZeroBitCount &- 24
    range = range &<< UInt32(truncatingIfNeeded: shift) &- 1
    spare &-= shift
    lastShift = shift
    return isSet
  }

  /// Behind the file's end there are zeros; behind the partition's, `isOverrun` tells.
  @inline(__always)
  private mutating func load() {
    if position &+ 8 <= fileEnd {
      let word = UnsafeRawPointer(data + position).loadUnaligned(as: UInt64.self).bigEndian
      value = value &<< 56 | word &>> 8
      position &+= 7
      spare &+= 56
    } else {
      value = value &<< 8 | UInt64(position < fileEnd ? data[position] : 0)
      position &+= 1
      spare &+= 8
    }
  }

  mutating func flag() -> Bool { bool(128) }

  mutating func number(_ bits: Int) -> Int {
    var number = 0
    for _ in 0..<bits { number = number << 1 | (bool(128) ? 1 : 0) }
    return number
  }

  /// Bits that the last bool has not left behind, and the eight it looked at; none without a bool.
  private var lookedAtBits: Int {
    guard position > start else { return 0 }
    let shifted = (position - start) * 8 - 8 - spare
    return max(0, shifted - lastShift) + 8
  }

  var isOverrun: Bool { lookedAtBits > (end - start) * 8 }

  /// Holds the partition to end where the last bool looked: what follows in the last byte is zero,
  /// as are the bytes, at most `slack`, with which encoders flush.
  func checkEnd() throws(ProofFailure) {
    let bits = lookedAtBits
    // libwebp wants a byte where no bool is read, too.
    let count = max(1, (bits + 7) / 8)
    guard start + count <= end else { throw ProofFailure("webp-vp8-cut", offset: end) }
    let rest = UInt8(truncatingIfNeeded: 1 << (count * 8 - bits) - 1)
    guard data[start + count - 1] & rest == 0 else {
      throw ProofFailure("webp-vp8-tail", offset: start + count - 1)
    }
    guard end - start - count <= Self.slack else {
      throw ProofFailure("webp-vp8-tail", offset: start + count)
    }
    for index in start + count..<end where data[index] != 0 {
      throw ProofFailure("webp-vp8-tail", offset: index)
    }
  }

  private static let slack = 2
}
