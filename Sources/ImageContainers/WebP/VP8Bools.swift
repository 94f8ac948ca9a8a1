/// A reader for the boolean entropy decoder of RFC 6386 (7.3). It also counts how many bits it needed.
struct VP8BoolReader {
  private let data: ArraySlice<UInt8>
  private var next: Int
  private var value = 0
  private var range = 255
  private var shifts = 0
  /// The number of bits from the partition's start to the last one that a bool depended on, or 0 if no bool was read.
  private(set) var neededBits = 0

  init(_ data: ArraySlice<UInt8>) {
    self.data = data
    next = data.startIndex
    value = byte() << 8 | byte()
  }

  /// The number of bytes that decoding needs. libwebp requires at least one, even if no bool is read.
  var neededBytes: Int { max(1, (neededBits + 7) / 8) }
  /// `true` if the partition is too short, or if its first byte is 255. No encoder writes such a byte, because the
  /// first range is 255, and decoders disagree about its meaning.
  var isBroken: Bool { neededBytes > data.count || neededBits > 0 && data.first == 255 }

  /// The necessary part of the partition, with the lowest of all values that decode to the same bools. The encoder
  /// could choose among several hundred, and nothing of that choice remains.
  var lowest: [UInt8] {
    var bytes = Array(data.prefix(neededBytes))
    let spare = bytes.count * 8 - neededBits
    if spare > 0, !bytes.isEmpty { bytes[bytes.count - 1] &= 0xFF << UInt8(spare) }
    // The difference from the lowest value, from bit `shifts` on. Bits on which no bool depended are already zero.
    let above = value >> 8 & ~(1 << (shifts + 8 - neededBits) - 1)
    let shifted = above << (8 - shifts % 8)
    var borrow = 0
    for index in bytes.indices.reversed() where index <= shifts / 8 + 1 {
      let part = index > shifts / 8 ? shifted & 255 : index == shifts / 8 ? shifted >> 8 : 0
      let difference = Int(bytes[index]) - part - borrow
      bytes[index] = UInt8(truncatingIfNeeded: difference)
      borrow = difference < 0 ? 1 : 0
    }
    return bytes
  }

  private mutating func byte() -> Int {
    defer { next += 1 }
    return next < data.endIndex ? Int(data[next]) : 0
  }

  mutating func bool(_ probability: UInt8) -> Bool {
    neededBits = shifts + 8
    let split = 1 + ((range - 1) * Int(probability)) >> 8
    let isSet = value >= split << 8
    if isSet {
      value -= split << 8
      range -= split
    } else {
      range = split
    }
    while range < 128 {
      value = value << 1
      range = range << 1
      shifts = shifts + 1
      if shifts % 8 == 0 { value |= byte() }
    }
    return isSet
  }

  mutating func number(_ bits: Int) -> Int {
    (0..<bits).reduce(0) { number, _ in number << 1 | (bool(128) ? 1 : 0) }
  }

  mutating func signed(_ bits: Int) -> Int {
    let value = number(bits)
    return bool(128) ? -value : value
  }

  /// Reads a flag and, if it is set, a number. Returns 0 otherwise.
  mutating func optional(_ bits: Int) -> Int { bool(128) ? signed(bits) : 0 }
}

/// Writes bools (RFC 6386, 7.3) into the smallest number of bytes that can be decoded.
struct VP8BoolWriter {
  private var output: [UInt8] = []
  private var range = 255
  private var bottom: UInt32 = 0
  /// The number of bits that left `bottom`, those that don't form a whole byte yet, and the number that decoding needs.
  private var bits = 0
  private var pending = 0
  private var neededBits = 8

  mutating func put(_ bit: Bool, _ probability: UInt8) {
    neededBits = bits + 8
    let split = 1 + ((range - 1) * Int(probability)) >> 8
    if bit {
      let (sum, carries) = bottom.addingReportingOverflow(UInt32(split) << 24)
      bottom = sum
      if carries { carry() }
      range -= split
    } else {
      range = split
    }
    while range < 128 {
      range <<= 1
      shift()
    }
  }

  private mutating func shift() {
    pending = pending << 1 | Int(bottom >> 31)
    bottom <<= 1
    bits += 1
    guard bits % 8 == 0 else { return }
    output.append(UInt8(truncatingIfNeeded: pending))
    pending = 0
  }

  /// Adds one to the bits written so far.
  private mutating func carry() {
    let waiting = bits % 8
    pending += 1
    guard pending >> waiting != 0 else { return }
    pending = 0
    var index = output.count - 1
    while index >= 0, output[index] == 255 {
      output[index] = 0
      index -= 1
    }
    if index >= 0 { output[index] += 1 }
  }

  mutating func put(_ value: Int, _ bits: Int) {
    for bit in (0..<bits).reversed() { put(value >> bit & 1 == 1, 128) }
  }

  /// Writes a flag and, unless the value is 0, the number and its sign.
  mutating func put(optional value: Int, _ bits: Int) {
    put(value != 0, 128)
    guard value != 0 else { return }
    put(abs(value), bits)
    put(value < 0, 128)
  }

  /// The number of bytes that decoding needs so far.
  var neededBytes: Int { (neededBits + 7) / 8 }

  func finished() -> [UInt8] {
    let end = neededBytes
    var writer = self
    // The bottom of the last range has no bits set below the eight that the last bool depends on.
    while writer.output.count < end { writer.shift() }
    return Array(writer.output.prefix(end))
  }
}
