/// A tolerant reader of TIFF directories (TIFF 6.0, section 2) that skips invalid entries. Offsets count from the TIFF
/// header.
struct TIFF {
  /// One field of a directory. Its value is inside the block.
  struct Entry {
    let type: Int
    let count: Int
    /// The position of the value.
    let offset: Int
  }

  private let bytes: [UInt8]
  private let start: Int
  private let isBigEndian: Bool
  /// The number of bytes from the header to the end of the block.
  let count: Int

  /// Creates a reader of the block at `range`, which may start with `Exif\0` and one more byte. Returns `nil` if the
  /// TIFF header is missing.
  init?(_ bytes: [UInt8], in range: Range<Int>) {
    let range = range.clamped(to: bytes.indices)
    let hasPrefix = range.count >= 6 && bytes[range].starts(with: "Exif\0".utf8)
    self.bytes = bytes
    start = range.lowerBound + (hasPrefix ? 6 : 0)
    count = range.upperBound - start
    guard count >= 8 else { return nil }
    let header = bytes[start..<start + 4]
    isBigEndian = header.starts(with: "MM".utf8)
    guard header.elementsEqual("MM\0*".utf8) || header.elementsEqual("II*\0".utf8) else {
      return nil
    }
  }

  /// The offset of IFD0.
  var firstDirectory: Int? { number(4, at: 4) }

  /// Returns the fields of the directory at `offset` by tag. Only the first field of each tag is kept, and fields with
  /// values outside the block are skipped.
  func directory(at offset: Int?) -> [Int: Entry] {
    guard let offset, let entryCount = number(2, at: offset) else { return [:] }
    var entries: [Int: Entry] = [:]
    // Cameras write a few dozen fields. The rest of a huge directory is ignored.
    for index in 0..<min(entryCount, 512) {
      let position = offset + 2 + 12 * index
      guard let tag = number(2, at: position), let type = number(2, at: position + 2),
        let count = number(4, at: position + 4), let value = number(4, at: position + 8)
      else { break }
      guard entries[tag] == nil, let unit = Self.size(ofType: type), count > 0 else { continue }
      // At most 2^32 values of 8 bytes, so this can't overflow.
      let size = unit * count
      let place = size <= 4 ? position + 8 : value
      guard place <= self.count, size <= self.count - place else { continue }
      entries[tag] = Entry(type: type, count: count, offset: place)
    }
    return entries
  }

  /// Returns the offset of the directory after the one at `offset`.
  func offsetAfter(directory offset: Int?) -> Int? {
    guard let offset, let entryCount = number(2, at: offset),
      let next = number(4, at: offset + 2 + 12 * entryCount), next != 0
    else { return nil }
    return next
  }

  /// Returns the first value of a BYTE, SHORT or LONG (or IFD) field.
  func integer(_ entry: Entry) -> Int? {
    switch entry.type {
    case 1: number(1, at: entry.offset)
    case 3: number(2, at: entry.offset)
    case 4, 13: number(4, at: entry.offset)
    default: nil
    }
  }

  /// Returns an ASCII field up to its first NUL byte, without surrounding spaces. At most 64 bytes are read, more than
  /// any of the known fields has.
  func text(_ entry: Entry) -> String? {
    guard entry.type == 2 else { return nil }
    let from = start + entry.offset
    let field = bytes[from..<from + min(entry.count, 64)].prefix { $0 != 0 }
    guard field.allSatisfy({ (0x20...0x7E).contains($0) }) else { return nil }
    let isSpace = { (byte: UInt8) in byte == 0x20 }
    let trimmed = field.drop(while: isSpace).reversed().drop(while: isSpace).reversed()
    return String(decoding: trimmed, as: UTF8.self)
  }

  /// Returns the values of a RATIONAL or SRATIONAL field. Returns `nil` if it has more than three values, or if one is
  /// negative or has the denominator 0.
  func rationals(_ entry: Entry) -> [Double]? {
    guard entry.type == 5 || entry.type == 10, entry.count <= 3 else { return nil }
    var values: [Double] = []
    for index in 0..<entry.count {
      guard let numerator = number(4, at: entry.offset + 8 * index),
        let denominator = number(4, at: entry.offset + 8 * index + 4), denominator != 0,
        entry.type == 5 || max(numerator, denominator) <= Int(Int32.max)
      else { return nil }
      values.append(Double(numerator) / Double(denominator))
    }
    return values
  }

  /// Returns the size of a value in bytes (TIFF 6.0, section 2, types 1 to 12, and IFD of supplement 1).
  private static func size(ofType type: Int) -> Int? {
    switch type {
    case 1, 2, 6, 7: 1
    case 3, 8: 2
    case 4, 9, 11, 13: 4
    case 5, 10, 12: 8
    default: nil
    }
  }

  /// Returns an unsigned number of `size` bytes at `offset`, or `nil` if it is outside the block.
  private func number(_ size: Int, at offset: Int) -> Int? {
    guard offset >= 0, offset <= count, size <= count - offset else { return nil }
    var value = 0
    for index in 0..<size {
      let byte = Int(bytes[start + offset + (isBigEndian ? index : size - 1 - index)])
      value = value << 8 | byte
    }
    return value
  }
}
