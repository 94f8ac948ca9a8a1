/// A forward reader of a range of a file. Every access is checked against the end of the range.
struct ByteReader {
  let bytes: [UInt8]
  /// The position of the next read, counted from the file's first byte.
  var offset: Int
  /// One past the last readable byte.
  let end: Int

  init(_ bytes: [UInt8]) { self.init(bytes, in: 0..<bytes.count) }

  /// Creates a reader of `range`, clamped to the file's bytes.
  init(_ bytes: [UInt8], in range: Range<Int>) {
    self.bytes = bytes
    self.end = min(max(range.upperBound, 0), bytes.count)
    self.offset = min(max(range.lowerBound, 0), self.end)
  }

  var remaining: Int { end - offset }
  var isAtEnd: Bool { offset >= end }

  /// Throws `truncated` unless `count` more bytes are available.
  func require(_ count: Int, for structure: String) throws(ContainerError) {
    guard count >= 0, count <= remaining else { throw .truncated(structure, offset: offset) }
  }

  mutating func skip(_ count: Int, for structure: String) throws(ContainerError) {
    try require(count, for: structure)
    offset += count
  }

  /// Skips `count` bytes and returns their range in the file, without copying them.
  mutating func range(_ count: Int, for structure: String) throws(ContainerError) -> Range<Int> {
    try require(count, for: structure)
    defer { offset += count }
    return offset..<offset + count
  }

  mutating func u8(_ structure: String) throws(ContainerError) -> Int {
    try require(1, for: structure)
    defer { offset += 1 }
    return Int(bytes[offset])
  }

  /// Returns an unsigned big-endian number of 1 to 7 bytes.
  mutating func big(_ count: Int, _ structure: String) throws(ContainerError) -> Int {
    try require(count, for: structure)
    var value = 0
    for index in offset..<offset + count { value = value << 8 | Int(bytes[index]) }
    offset += count
    return value
  }

  /// Returns an unsigned little-endian number of 1 to 7 bytes.
  mutating func little(_ count: Int, _ structure: String) throws(ContainerError) -> Int {
    try require(count, for: structure)
    var value = 0
    for index in (offset..<offset + count).reversed() { value = value << 8 | Int(bytes[index]) }
    offset += count
    return value
  }

  /// Returns a four-character code. Bytes that are not printable ASCII become `?`.
  mutating func fourCC(_ structure: String) throws(ContainerError) -> String {
    let range = try range(4, for: structure)
    return String(
      decoding: bytes[range].map { (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: "?") },
      as: UTF8.self)
  }
}

extension [UInt8] {
  /// Returns a number as four bytes, big-endian.
  static func big(_ number: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
  }
}
