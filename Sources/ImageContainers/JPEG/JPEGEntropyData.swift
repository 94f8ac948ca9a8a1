/// The entropy-coded data of a scan without stuffed zeros and restart markers, cut where the markers
/// were (T.81, B.1.1.5 and F.1.2.3).
struct JPEGEntropyData {
  private var bytes: [UInt8] = []
  /// Where each piece ends in `bytes`.
  private var ends: [Int] = []
  private let units, interval: Int
  /// Whether restart markers count on without a gap, and nothing but fill follows the last piece.
  private var isInOrder = true
  /// Bytes from the marker that ends the last piece to the last one that is no fill.
  private var surplus = 0

  init(_ file: [UInt8], of scan: JPEGScan) {
    self.init(
      file, in: scan.data, units: scan.columns * scan.rows, restartInterval: scan.restartInterval)
  }

  /// Splits the data at restart markers, up to the first that is out of sequence (0 to 7, then 0 again).
  init(_ file: [UInt8], in data: Range<Int>, units: Int, restartInterval: Int) {
    self.units = units
    interval = restartInterval > 0 ? restartInterval : units
    let pieces = (units + interval - 1) / interval
    bytes.reserveCapacity(data.count)
    let end = data.upperBound
    var position = data.lowerBound
    while position < end {
      let next = file.withUnsafeBytes { Self.next0xFF(in: $0, from: position, to: end) }
      bytes += file[position..<next]
      guard next < end else { break }
      var code = next + 1
      while code < end, file[code] == 0xFF { code += 1 }
      guard code < end else { break }
      position = code + 1
      // A stuffed zero or a restart marker: any other marker would have ended the data.
      if file[code] == 0 {
        bytes.append(0xFF)
        continue
      }
      isInOrder = file[code] == 0xD0 + UInt8(ends.count % 8)
      if isInOrder, ends.count < pieces - 1 {
        ends.append(bytes.count)
      } else {
        // One more marker than pieces begin is only fill.
        isInOrder = isInOrder && file[position..<end].allSatisfy(Self.isFill)
        if !isInOrder, ends.count == pieces - 1 { surplus = Self.unfilled(file[next..<end]) }
        break
      }
    }
    ends.append(bytes.count)
  }

  /// Returns whether this unit is in the last piece that was found, or behind it.
  func isLast(_ unit: Int) -> Bool { isInOrder && unit / interval >= ends.count - 1 }

  /// Returns whether such a byte may stand behind the last code: what encoders and cards fill up with.
  static func isFill(_ byte: UInt8) -> Bool { byte == 0 || byte == 0xFF }

  /// Returns how many bytes there are up to the last one that is no fill.
  private static func unfilled(_ bytes: ArraySlice<UInt8>) -> Int {
    bytes.lastIndex { !isFill($0) }.map { $0 - bytes.startIndex + 1 } ?? 0
  }

  /// Returns whether the last codes are zeros that go on behind them: a lost block reads as codes where many
  /// bits of zero are some, and what fills up a file begins behind its own last bits.
  private static func isZeroed(
    _ buffer: UnsafeRawBufferPointer, _ codes: Range<Int>, before end: Int
  ) -> Bool {
    codes.upperBound < end && codes.count >= 8
      && buffer[codes.upperBound - 8...codes.upperBound].allSatisfy { $0 == 0 }
  }

  /// Lends the units of each piece and a reader of its bits, and returns at which bit of all bytes each
  /// stopped; nil as soon as one says no, takes more than there are, ends in lost data or leaves some
  /// behind, and when pieces are missing.
  ///
  /// - Parameters:
  ///   - isCut: no marker ends the data; bytes behind the last code are ignored.
  ///   - tolerance: how many bytes may be too few or left over.
  ///   - allowsSurplus: any number of bytes may be left over.
  func read(
    isCut: Bool = false, tolerance: Int = 0, allowsSurplus: Bool = false,
    _ body: (_ units: Range<Int>, inout JPEGBitReader) -> Bool
  ) -> [Int]? {
    bytes.withUnsafeBytes { buffer in
      var stops: [Int] = []
      for (piece, end) in ends.enumerated() {
        let start = piece == 0 ? 0 : ends[piece - 1]
        var reader = JPEGBitReader(buffer, from: start, to: end)
        let first = piece * interval
        let isRead = body(first..<min(first + interval, units), &reader)
        guard isRead, !reader.isOverrun(by: tolerance) else { return nil }
        let isLast = first + interval >= units
        let codes = start..<min((reader.stop + 7) / 8, end)
        if isLast && isCut {
          guard !Self.isZeroed(buffer, codes, before: end) else { return nil }
        } else if !allowsSurplus {
          let rest = min(codes.upperBound + tolerance, end)..<end
          guard buffer[rest].allSatisfy(Self.isFill) else { return nil }
        }
        stops.append(min(reader.stop, end * 8))
        if isLast && isCut { return stops }
      }
      let isComplete = ends.count * interval >= units
      return isComplete && (isInOrder || allowsSurplus && surplus > 0) ? stops : nil
    }
  }

  /// Returns the data without the bytes that `read` left over.
  ///
  /// - Parameters:
  ///   - stops: what `read` returned for all pieces.
  ///   - tolerance: as for `read`.
  /// - Returns: the data with byte stuffing, and the largest number of surplus bytes in one place, not
  ///   counting fill.
  func withoutSurplus(behind stops: [Int], tolerance: Int) -> (data: [UInt8], most: Int) {
    var data: [UInt8] = []
    var most = surplus
    var start = 0
    for (piece, (stop, end)) in zip(stops, ends).enumerated() {
      let codesEnd = min((stop + 7) / 8 + tolerance, end)
      most = max(most, Self.unfilled(bytes[codesEnd..<end]))
      if piece > 0 { data += [0xFF, 0xD0 + UInt8((piece - 1) % 8)] }
      Self.append(stuffing: bytes[start..<codesEnd], to: &data)
      start = end
    }
    return (data, most)
  }

  /// Returns the offset in the file behind the first `count` bytes of the data.
  static func place(after count: Int, of file: [UInt8], in data: Range<Int>) -> Int {
    var place = data.lowerBound
    var left = count
    while left > 0 {
      let next = file[place...].firstIndex { $0 != 0xFF } ?? file.endIndex
      // A stuffed zero belongs to the byte before it; a restart marker is no data.
      if next == place || file[next] == 0 { left -= 1 }
      place = next + 1
    }
    return place
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

  /// Returns where the next 0xFF stands, `end` when there is none.
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

/// Reads bits, most significant first. `isOverrun` is true once bits behind the end were taken.
struct JPEGBitReader {
  private let data: UnsafeRawBufferPointer
  private var position: Int
  private let end: Int
  /// The next bits, the next of them highest; below `count` bits there may be others already.
  private var bits: UInt64 = 0
  private var count = 0

  /// A reader of one piece; `data` outlives it.
  init(_ data: UnsafeRawBufferPointer, from start: Int, to end: Int) {
    self.data = data
    position = start
    self.end = end
  }

  /// More bits were taken than there are.
  var isOverrun: Bool { isOverrun(by: 0) }
  /// Returns whether more bits were taken than the data and this many extra bytes hold.
  func isOverrun(by bytes: Int) -> Bool { stop > (end + bytes) * 8 }
  /// The bit of all the data that comes next.
  var stop: Int { position * 8 - count }

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
      self = filledAtEnd()
    }
  }

  /// Fills a copy near the end of the data: a call that changes the reader would keep it out of registers.
  @inline(never)
  private func filledAtEnd() -> JPEGBitReader {
    var filled = self
    while filled.count <= 56 {
      let byte = filled.position < data.count ? data[filled.position] : 0
      filled.bits |= UInt64(byte) << UInt64(56 - filled.count)
      filled.position += 1
      filled.count += 8
    }
    return filled
  }

  /// Returns the next `width` bits, which stay; 1 to 32.
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
  /// Returns the entry in `JPEGHuffmanTable.lookup` of the code that comes next; 0 when there is
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
    return number(size, after: Int(entry >> 8))
  }

  /// Takes a number of this many bits, 0 to 16, after skipping up to 16 others.
  @inline(__always)
  mutating func number(_ size: Int, after others: Int) -> Int {
    Self.number(take(size, after: others), size)
  }

  /// Returns the number that bits stand for: the lower half of the values are negative ones (EXTEND).
  @inline(__always)
  static func number(_ bits: Int, _ size: Int) -> Int {
    bits >= (1 &<< size) >> 1 ? bits : bits &- (1 &<< size) &+ 1
  }

  /// Takes a block's coefficients of AC (T.81, F.2.2.2).
  ///
  /// - Parameter each: gets the place of each that there is, in zigzag order, its size and its bits.
  /// - Returns: false when a code is not in the table or a run goes past the end of the block.
  @inline(__always)
  mutating func coefficients(
    _ lookup: UnsafePointer<UInt16>, each: (_ place: Int, _ size: Int, _ bits: Int) -> Void
  ) -> Bool {
    var last = 0
    while true {
      fill()
      // Two codes with their values take 52 bits at most.
      for _ in 0..<2 {
        let entry = entry(lookup)
        let length = Int(entry >> 8)
        let run = Int(entry >> 4 & 15)
        let size = Int(entry & 15)
        last &+= run &+ 1
        guard size > 0 else {
          guard length > 0, run == 0 || run == 15 else { return false }
          skip(length)
          if run == 0 { return true }
          guard last < 63 else { return last == 63 }
          continue
        }
        guard last < 64, size <= 10 else { return false }
        each(last, size, take(size, after: length))
        if last == 63 { return true }
      }
    }
  }
}
