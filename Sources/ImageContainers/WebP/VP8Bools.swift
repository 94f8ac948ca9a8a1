/// Reads bools as RFC 6386 describes it (7.3), and knows how many bits it needed.
struct VP8BoolReader {
  private let data: ArraySlice<UInt8>
  private var next: Int
  private var value = 0
  private var range = 255
  private var shifts = 0
  /// Bits from the partition's start to the last that a bool looked at; 0 where no bool is read.
  private(set) var neededBits = 0

  init(_ data: ArraySlice<UInt8>) {
    self.data = data
    next = data.startIndex
    value = byte() << 8 | byte()
  }

  /// Bytes that decoding cannot do without; libwebp wants one where no bool is read, too.
  var neededBytes: Int { max(1, (neededBits + 7) / 8) }
  /// Whether it ends too early, or begins as no encoder begins: the first range is 255, so that no value
  /// in it has 255 as first byte, and decoders differ in what they make of one outside.
  var isBroken: Bool { neededBytes > data.count || neededBits > 0 && data.first == 255 }

  /// The partition as far as it is needed, with the lowest of all values that decode to the same bools: the
  /// encoder was free to choose among some hundred.
  var lowest: [UInt8] {
    var bytes = Array(data.prefix(neededBytes))
    let spare = bytes.count * 8 - neededBits
    if spare > 0, !bytes.isEmpty { bytes[bytes.count - 1] &= 0xFF << UInt8(spare) }
    // How far above the lowest it is, from bit `shifts` on; what no bool looked at is zero by now.
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

  /// Returns a number after a flag; 0 without.
  mutating func optional(_ bits: Int) -> Int { bool(128) ? signed(bits) : 0 }
}

/// Writes bools (RFC 6386, 7.3) into as few bytes as decoding them takes.
struct VP8BoolWriter {
  private var output: [UInt8] = []
  private var range = 255
  private var bottom: UInt32 = 0
  /// Bits that left `bottom`, those of them that are no whole byte yet, and how many decoding takes.
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

  /// Adds one to what has been written.
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

  /// Writes a flag, and after it a number with its sign unless that is 0.
  mutating func put(optional value: Int, _ bits: Int) {
    put(value != 0, 128)
    guard value != 0 else { return }
    put(abs(value), bits)
    put(value < 0, 128)
  }

  /// Bytes that decoding what was put so far takes.
  var neededBytes: Int { (neededBits + 7) / 8 }

  func finished() -> [UInt8] {
    let end = neededBytes
    var writer = self
    // The bottom of the last range has no bits below the eight that the last bool looks at.
    while writer.output.count < end { writer.shift() }
    return Array(writer.output.prefix(end))
  }
}
