/// A Huffman code of deflate as a lookup table for the next bits (RFC 1951, 3.2.2), and the symbols that the data used.
///
/// An entry contains the number of bits to consume (bits 0...4), its kind (5...7), the number of extra bits (8...11),
/// the symbol's number within its kind (12...16) and a value (17...31). The value is the literal, the base of a length
/// or a distance, or the start of the second table for codes that are longer than the index of the first. Pointers are
/// used because every symbol of a photo is looked up here.
final class PNGProofCode {
  static let isLiteral: UInt32 = 0x80
  static let isLink: UInt32 = 0x40
  static let isEnd: UInt32 = 0x20
  /// The number of bits of an index of the first table.
  let firstBits: Int
  let entries: UnsafeMutablePointer<UInt32>
  /// 1 for each symbol that occurred.
  let used: UnsafeMutablePointer<UInt8>
  /// The length of each symbol's code in bits, or 0 for an unused symbol.
  private var lengths: [UInt8] = []
  private let makeEntry: (_ symbol: Int) -> UInt32?

  private init(firstBits: Int, makeEntry: @escaping (_ symbol: Int) -> UInt32?) {
    self.firstBits = firstBits
    self.makeEntry = makeEntry
    // Codes have at most 15 bits, and each of 288 symbols can start a second table.
    let most = 1 << firstBits + 288 << (15 - firstBits)
    entries = .allocate(capacity: most)
    entries.initialize(repeating: 0, count: most)
    used = .allocate(capacity: 320)
    used.initialize(repeating: 0, count: 320)
  }

  deinit {
    entries.deallocate()
    used.deallocate()
  }

  /// Returns an unbuilt table for literals, the end of a block and match lengths.
  static func literals() -> PNGProofCode {
    PNGProofCode(firstBits: 11) { symbol in
      switch symbol {
      case 0..<256: return UInt32(symbol) << 17 | isLiteral
      case 256: return isEnd
      case 285: return 258 << 17 | 28 << 12
      case 257..<285:
        let number = symbol - 257
        let extra = number < 8 ? 0 : number / 4 - 1
        let base = number < 8 ? number + 3 : (4 + number % 4) << extra + 3
        return UInt32(base) << 17 | UInt32(number) << 12 | UInt32(extra) << 8
      default: return nil
      }
    }
  }

  static func distances() -> PNGProofCode {
    PNGProofCode(firstBits: 9) { symbol in
      guard symbol < 30 else { return nil }
      let extra = symbol < 4 ? 0 : symbol / 2 - 1
      let base = symbol < 4 ? symbol + 1 : (2 + symbol % 2) << extra + 1
      // The largest base is 24,577 and fits into 15 bits.
      return UInt32(base) << 17 | UInt32(symbol) << 12 | UInt32(extra) << 8
    }
  }

  /// The fixed code lengths of a block without its own codes (3.2.6).
  static let fixedLiterals = [(8, 144), (9, 112), (7, 24), (8, 8)].flatMap {
    repeatElement($0 as UInt8, count: $1)
  }[...]
  static let fixedDistances = [UInt8](repeating: 5, count: 32)[...]

  /// Returns an unbuilt table for the code of the other two codes' lengths (3.2.7).
  static func codeLengths() -> PNGProofCode {
    PNGProofCode(firstBits: 7) { UInt32($0) << 17 | isLiteral }
  }

  /// Builds the table. Returns `false` if the lengths don't form a code. Entries that stay zero are invalid codes.
  func build(_ lengths: ArraySlice<UInt8>, mayBeSingle: Bool = false) -> Bool {
    self.lengths = Array(lengths)
    used.update(repeating: 0, count: 320)
    var counts = [Int](repeating: 0, count: 16)
    for length in lengths { counts[Int(length)] += 1 }
    counts[0] = 0
    var code = 0
    var free = 1
    var starts = [Int](repeating: 0, count: 16)
    for length in 1...15 {
      code = (code + counts[length - 1]) << 1
      starts[length] = code
      free = free << 1 - counts[length]
      guard free >= 0 else { return false }
    }
    let count = counts.reduce(0, +)
    guard free == 0 || mayBeSingle && count <= 1 && count == counts[1] else { return false }

    entries.update(repeating: 0, count: 1 << firstBits)
    let maxLength = counts.lastIndex { $0 > 0 } ?? 1
    let secondBits = max(0, maxLength - firstBits)
    var end = 1 << firstBits
    for (symbol, length) in self.lengths.enumerated() where length > 0 {
      let length = Int(length)
      let reversed = Int(UInt16(starts[length]).bitReversed >> (16 - UInt16(length)))
      starts[length] += 1
      guard let payload = makeEntry(symbol) else { continue }
      let entry = payload | UInt32(length)
      if length <= firstBits {
        for index in stride(from: reversed, to: 1 << firstBits, by: 1 << length) {
          entries[index] = entry
        }
        continue
      }
      let first = reversed & (1 << firstBits - 1)
      if entries[first] == 0 {
        entries[first] = UInt32(end) << 17 | UInt32(secondBits) << 8 | Self.isLink
        entries.advanced(by: end).update(repeating: 0, count: 1 << secondBits)
        end += 1 << secondBits
      }
      let second = Int(entries[first] >> 17)
      for index in stride(
        from: reversed >> firstBits, to: 1 << secondBits, by: 1 << (length - firstBits))
      {
        entries[second + index] = entry
      }
    }
    return true
  }

  /// `true` if every symbol that has a code occurred.
  var usesEveryCode: Bool { lengths.indices.allSatisfy { lengths[$0] == 0 || used[$0] == 1 } }

  /// `true` if every symbol with a code occurred, except for the two one-bit codes that zlib and others write if they
  /// need fewer (zlib's `build_tree`). These can't hide data.
  var usesEveryCodeOrIsStandard: Bool {
    usesEveryCode
      || lengths.indices.allSatisfy {
        lengths[$0] <= 1 && (lengths[$0] == 0 || $0 < 2 || used[$0] == 1)
      }
  }
}

extension UInt16 {
  fileprivate var bitReversed: UInt16 {
    var from = self
    var to = UInt16(0)
    for _ in 0..<16 {
      to = to << 1 | from & 1
      from >>= 1
    }
    return to
  }
}
