/// The entropy-coded data of a scan without stuffed zeros and restart markers, cut where the markers
/// were (T.81, B.1.1.5 and F.1.2.3).
struct JPEGEntropyData {
  private var bytes: [UInt8] = []
  /// Where each piece ends in `bytes`.
  private var ends: [Int] = []
  private let units, interval: Int

  /// Nil when restart markers are not where they should be, or do not count from 0 to 7, over and
  /// over.
  init?(_ file: [UInt8], of scan: JPEGScan) {
    units = scan.columns * scan.rows
    interval = scan.restartInterval > 0 ? scan.restartInterval : units
    bytes.reserveCapacity(scan.data.count)
    let end = scan.data.upperBound
    var position = scan.data.lowerBound
    while position < end {
      let next = file.withUnsafeBytes { Self.next0xFF(in: $0, from: position, to: end) }
      bytes += file[position..<next]
      position = next + 2
      guard next < end else { break }
      guard position <= end else { return nil }
      // A stuffed zero or a restart marker: any other marker would have ended the data.
      let code = file[next + 1]
      if code == 0 {
        bytes.append(0xFF)
      } else {
        guard code == 0xD0 + UInt8(ends.count % 8) else { return nil }
        ends.append(bytes.count)
      }
    }
    ends.append(bytes.count)
    guard ends.count == (units + interval - 1) / interval else { return nil }
  }

  /// Lends the units of each piece and a reader of its bits, and tells which bytes each took; nil as
  /// soon as one says no or takes more than there are.
  func read(
    _ body: (_ units: Range<Int>, inout JPEGBitReader) -> Bool
  ) -> [Range<Int>]? {
    bytes.withUnsafeBytes { buffer in
      var taken: [Range<Int>] = []
      for (piece, end) in ends.enumerated() {
        let start = piece == 0 ? 0 : ends[piece - 1]
        var reader = JPEGBitReader(buffer, from: start, to: end)
        let first = piece * interval
        let isRead = body(first..<min(first + interval, units), &reader)
        guard isRead, !reader.isOverrun else { return nil }
        taken.append(start..<reader.takenEnd)
      }
      return taken
    }
  }

  /// The data as a file has it, with these bytes of each piece alone; nil when they are all there are.
  func stuffed(_ pieces: [Range<Int>]) -> [UInt8]? {
    guard zip(pieces, ends).contains(where: { $0.upperBound < $1 }) else { return nil }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count + bytes.count / 64)
    for (index, piece) in pieces.enumerated() {
      Self.append(stuffing: bytes[piece], to: &result)
      if index < pieces.count - 1 { result += [0xFF, 0xD0 + UInt8(index % 8)] }
    }
    return result
  }

  /// Appends data with a zero after each 0xFF.
  static func append(stuffing data: ArraySlice<UInt8>, to file: inout [UInt8]) {
    data.withUnsafeBytes { data in
      var position = 0
      while position < data.count {
        let next = next0xFF(in: data, from: position, to: data.count)
        file += data[position..<next]
        if next < data.count { file += [0xFF, 0] }
        position = next + 1
      }
    }
  }

  /// Where the next 0xFF stands, `end` when there is none.
  static func next0xFF(in file: UnsafeRawBufferPointer, from start: Int, to end: Int) -> Int {
    func zeros(_ index: Int) -> UInt64 {
      let inverse = ~file.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      return (inverse &- 0x0101_0101_0101_0101) & ~inverse & 0x8080_8080_8080_8080
    }
    var index = start
    while index &+ 32 <= end,
      zeros(index) | zeros(index &+ 8) | zeros(index &+ 16) | zeros(index &+ 24) == 0
    {
      index &+= 32
    }
    while index &+ 8 <= end {
      let found = zeros(index)
      guard found == 0 else { return index &+ found.trailingZeroBitCount / 8 }
      index &+= 8
    }
    while index < end, file[index] != 0xFF { index &+= 1 }
    return index
  }
}

/// Reads bits, the highest of a byte first. Behind the end there are zeros; `isOverrun` tells.
struct JPEGBitReader {
  private let data: UnsafeRawBufferPointer
  private var position: Int
  private let end: Int
  /// The next bits, the next of them highest; below `count` bits there may be others already.
  private var bits: UInt64 = 0
  private var count = 0

  /// A reader of one piece; `data` outlives it.
  init(_ data: UnsafeRawBufferPointer, from start: Int, to end: Int) {
    (self.data, position, self.end) = (data, start, end)
  }

  /// More bits were taken than there are.
  var isOverrun: Bool { position * 8 - count > end * 8 }
  /// Where the bytes end of which bits were taken.
  var takenEnd: Int { (position * 8 - count + 7) / 8 }

  /// Makes sure that 56 bits can be taken.
  @inline(__always)
  mutating func fill() {
    if position + 8 <= data.count {
      let word = UInt64(
        bigEndian: data.loadUnaligned(fromByteOffset: position, as: UInt64.self))
      bits |= word >> UInt64(truncatingIfNeeded: count)
      position &+= (63 &- count) >> 3
      count |= 56
    } else {
      fillAtEnd()
    }
  }

  @inline(never)
  private mutating func fillAtEnd() {
    while count <= 56 {
      let byte = position < data.count ? data[position] : 0
      bits |= UInt64(byte) << UInt64(56 - count)
      position += 1
      count += 8
    }
  }

  /// The next `width` bits, which stay; 1 to 32.
  @inline(__always)
  func peek(_ width: Int) -> Int {
    Int(truncatingIfNeeded: bits &>> UInt64(truncatingIfNeeded: 64 &- width))
  }

  @inline(__always)
  mutating func skip(_ width: Int) {
    bits &<<= UInt64(truncatingIfNeeded: width)
    count &-= width
  }

  /// Takes `width` bits as they are, 0 to 16, after skipping up to 16 others.
  @inline(__always)
  mutating func take(_ width: Int, after others: Int = 0) -> Int {
    let rest = bits &<< UInt64(truncatingIfNeeded: others)
    skip(others &+ width)
    return Int(truncatingIfNeeded: (rest &>> 32) &>> UInt64(truncatingIfNeeded: 32 &- width))
  }
}

extension JPEGBitReader {
  /// The entry of the code that comes next, as `JPEGHuffmanTable.lookup` has it; 0 when there is
  /// none. Takes nothing.
  @inline(__always)
  func entry(_ lookup: UnsafePointer<UInt16>) -> UInt16 {
    let entry = lookup[peek(JPEGHuffmanTable.lookupBits)]
    guard entry & JPEGHuffmanTable.isFurther != 0 else { return entry }
    return lookup[Int(entry & ~JPEGHuffmanTable.isFurther) + (peek(16) & 15)]
  }

  /// Takes a difference of DC (T.81, F.2.2.1), nil when there is no such code.
  @inline(__always)
  mutating func difference(_ lookup: UnsafePointer<UInt16>) -> Int? {
    fill()
    let entry = entry(lookup)
    let size = Int(entry & 0xFF)
    guard entry != 0, size <= 11 else { return nil }
    let value = take(size, after: Int(entry >> 8))
    // The lower half of the values stands for negative ones (EXTEND).
    return value >= (1 &<< size) >> 1 ? value : value &- (1 &<< size) &+ 1
  }
}
