/// The bool decoder of RFC 6386 (7.3). It also records how far it has read. It shares no code with the cleaner's
/// `VP8BoolReader`.
///
/// A bool depends on eight bits of the data, which start after the bits shifted out before. A byte counts as read if a
/// bool depends on one of its bits.
struct VP8ProofReader {
  private let data: UnsafePointer<UInt8>
  private let fileEnd: UnsafePointer<UInt8>
  private let start: Int
  private let end: Int
  private var next: UnsafePointer<UInt8>
  /// The bits that were read but not shifted out, the next one highest. `spare` bits are below the eight for the next
  /// bool.
  private var value: UInt64 = 0
  private var spare = -8
  /// The range minus one, 127 to 254.
  private var range: UInt32 = 254
  private var lastShift: UInt32 = 0

  /// Creates a reader of `partition`. The memory of `file` must outlive it.
  init(_ file: UnsafeBufferPointer<UInt8>, in partition: Range<Int>) {
    data = file.baseAddress.unsafelyUnwrapped
    fileEnd = data + file.count
    start = partition.lowerBound
    end = partition.upperBound
    next = data + start
  }

  @inline(__always)
  mutating func bool(_ probability: UInt8) -> Bool {
    if spare < 0 { load() }
    let split = (range &* UInt32(probability)) &>> 8
    let isSet = UInt32(truncatingIfNeeded: value &>> UInt64(truncatingIfNeeded: spare)) > split
    var left = split &+ 1
    if isSet {
      value &-= UInt64(left) &<< UInt64(truncatingIfNeeded: spare)
      left = range &- split
    }
    // Uses tables because each bool depends on the range of the previous one, and this latency determines the speed.
    // The range has at most eight bits.
    let shift = UInt32(Self.shifts[Int(left & 255)])
    range = UInt32(Self.ranges[Int(left & 255)])
    spare &-= Int(shift)
    lastShift = shift
    return isSet
  }

  /// Reads a bool of probability 128 without a branch, because its outcome can't be predicted. The first bool of a
  /// partition must be read with `bool(_:)`, because its range is 255.
  @inline(__always)
  mutating func evenBool() -> Bool {
    if spare < 0 { load() }
    let split = range &>> 1
    let top = UInt32(truncatingIfNeeded: value &>> UInt64(truncatingIfNeeded: spare))
    // All bits are one if the bool is set.
    let mask = UInt32(bitPattern: Int32(bitPattern: split &- top) &>> 31)
    value &-= UInt64((split &+ 1) & mask) &<< UInt64(truncatingIfNeeded: spare)
    range = (range &+ mask) | 1
    spare &-= 1
    lastShift = 1
    return mask != 0
  }

  /// For each range, the shift that normalizes it to eight bits, and the normalized range minus one.
  private static let shifts: InlineArray<256, UInt8> = [
    0, 7, 6, 6, 5, 5, 5, 5, 4, 4, 4, 4, 4, 4, 4, 4, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3,
    3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
    2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0,
  ]
  private static let ranges: InlineArray<256, UInt8> = [
    0, 127, 127, 191, 127, 159, 191, 223, 127, 143, 159, 175, 191, 207, 223, 239, 127, 135, 143,
    151, 159, 167, 175, 183, 191, 199, 207, 215, 223, 231, 239, 247, 127, 131, 135, 139, 143, 147,
    151, 155, 159, 163, 167, 171, 175, 179, 183, 187, 191, 195, 199, 203, 207, 211, 215, 219, 223,
    227, 231, 235, 239, 243, 247, 251, 127, 129, 131, 133, 135, 137, 139, 141, 143, 145, 147, 149,
    151, 153, 155, 157, 159, 161, 163, 165, 167, 169, 171, 173, 175, 177, 179, 181, 183, 185, 187,
    189, 191, 193, 195, 197, 199, 201, 203, 205, 207, 209, 211, 213, 215, 217, 219, 221, 223, 225,
    227, 229, 231, 233, 235, 237, 239, 241, 243, 245, 247, 249, 251, 253, 127, 128, 129, 130, 131,
    132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150,
    151, 152, 153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164, 165, 166, 167, 168, 169,
    170, 171, 172, 173, 174, 175, 176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186, 187, 188,
    189, 190, 191, 192, 193, 194, 195, 196, 197, 198, 199, 200, 201, 202, 203, 204, 205, 206, 207,
    208, 209, 210, 211, 212, 213, 214, 215, 216, 217, 218, 219, 220, 221, 222, 223, 224, 225, 226,
    227, 228, 229, 230, 231, 232, 233, 234, 235, 236, 237, 238, 239, 240, 241, 242, 243, 244, 245,
    246, 247, 248, 249, 250, 251, 252, 253, 254,
  ]

  /// Loads more bits. After the end of the file they are zero; after the end of the partition, `isOverrun` is `true`.
  @inline(__always)
  private mutating func load() {
    if next + 8 <= fileEnd {
      let word = UnsafeRawPointer(next).loadUnaligned(as: UInt64.self).bigEndian
      value = value &<< 56 | word &>> 8
      next += 7
      spare &+= 56
    } else {
      value = value &<< 8 | UInt64(next < fileEnd ? next.pointee : 0)
      next += 1
      spare &+= 8
    }
  }

  mutating func flag() -> Bool { bool(128) }

  mutating func number(_ bits: Int) -> Int {
    var number = 0
    for _ in 0..<bits { number = number << 1 | (bool(128) ? 1 : 0) }
    return number
  }

  private var shiftedBits: Int { (next - data - start) * 8 - 8 - spare }

  /// The number of bits that have been shifted out before the last bool, plus the eight that it depends on. 0 if no
  /// bool was read.
  private var lookedAtBits: Int {
    guard next > data + start else { return 0 }
    return max(0, shiftedBits - Int(lastShift)) + 8
  }

  /// The difference between the remaining data and the lowest value that gives the same bools. It consists of the bits
  /// for the next bool, as far as they are in the partition.
  private var aboveLowest: UInt64 {
    let eight = spare < 0 ? value &<< UInt64(-spare) : value &>> UInt64(spare)
    return eight &>> UInt64(max(0, shiftedBits + 8 - (end - start) * 8))
  }

  var isOverrun: Bool { lookedAtBits > (end - start) * 8 }

  /// The number of bytes on which bools depend. At least one, because libwebp requires it even if no bool is read.
  var lookedAtBytes: Int { max(1, (lookedAtBits + 7) / 8) }

  /// Checks that the partition ends with the last bool. The rest of the last byte and up to `flushBytes` bytes, which
  /// encoders write to flush, must be zero. Encoders write the lowest of all values that decode to the same bools. Any
  /// other value is rejected, because the choice could hide data.
  ///
  /// - Parameter least: the minimum size of the partition in bytes. It may be padded with zeros up to this size.
  func checkEnd(least: Int = 0) throws(ProofError) {
    let bits = lookedAtBits
    let count = lookedAtBytes
    guard start + count <= end else { throw ProofError("webp-vp8-cut", offset: end) }
    guard start + least <= end else { throw ProofError("webp-vp8-short", offset: end) }
    // The first range is 255, so no value in it begins with 255.
    guard bits == 0 || data[start] < 255 else {
      throw ProofError("webp-vp8-range", offset: start)
    }
    guard bits == 0 || aboveLowest == 0 else {
      throw ProofError("webp-vp8-tail", offset: start + count - 1)
    }
    let rest = UInt8(truncatingIfNeeded: 1 << (count * 8 - bits) - 1)
    guard data[start + count - 1] & rest == 0 else {
      throw ProofError("webp-vp8-tail", offset: start + count - 1)
    }
    guard end - start <= max(count + Self.flushBytes, least) else {
      throw ProofError("webp-vp8-tail", offset: start + count)
    }
    for index in start + count..<end where data[index] != 0 {
      throw ProofError("webp-vp8-tail", offset: index)
    }
  }

  private static let flushBytes = 2
}
