/// The entropy-coded data of a scan, read one restart interval at a time. Restart markers separate the intervals (T.81,
/// B.1.1.5 and F.1.2.3).
struct JPEGIntervals {
  private let file: [UInt8]
  private let data: Range<Int>
  private let units, interval: Int
  /// The range of the codes of each interval that was read.
  private(set) var codes: [Range<Int>] = []
  /// The largest number of bytes left over in one place, without fill at their end.
  private(set) var surplus = 0
  /// The number of units that could be read.
  private(set) var unitsRead = 0
  /// `true` if reading failed and no restart marker follows, so a decoder finds no more data.
  private(set) var isLast = false

  init(_ file: [UInt8], in data: Range<Int>, units: Int, restartInterval: Int) {
    self.file = file
    self.data = data
    self.units = units
    interval = restartInterval > 0 ? restartInterval : units
  }

  init(_ file: [UInt8], of scan: JPEGScan) {
    self.init(
      file, in: scan.data, units: scan.columns * scan.rows, restartInterval: scan.restartInterval)
  }

  /// Reads all intervals.
  ///
  /// - Parameters:
  ///   - isCut: `true` if no marker ends the data. Bytes after the last code are ignored then.
  ///   - tolerance: the number of bytes that a decoder may read past the end or leave unread.
  ///   - body: receives the units of an interval and its bits, and returns the number of units that it could read.
  /// - Returns: `false` as soon as a unit cannot be read, if the data ends in lost blocks, or if a marker is missing or
  ///   out of sequence (0 to 7, then 0 again).
  mutating func readIntervals(
    isCut: Bool = false, tolerance: Int = 0,
    _ body: (_ units: Range<Int>, inout JPEGBits) -> Int
  ) -> Bool {
    var start = data.lowerBound
    for first in stride(from: 0, to: units, by: interval) {
      let number = codes.count
      let some = first..<min(first + interval, units)
      var bits = JPEGBits(at: start, skippingFill: true)
      let read = body(some, &bits)
      unitsRead += read
      guard read == some.count, !bits.isOverrun(by: tolerance) else {
        isLast = isEnd(marker(from: start), number)
        return false
      }
      let end = bits.end(file, from: start)
      if some.upperBound == units, isCut {
        codes.append(start..<end)
        return !isZeroed(start..<end)
      }
      let marker = marker(from: end)
      codes.append(
        start..<countSurplus(from: end, before: marker?.run ?? data.upperBound, tolerance))
      guard some.upperBound < units else {
        if let marker, !isEnd(marker, number) {
          surplus = max(surplus, unfilled(marker.run..<data.upperBound))
        }
        return true
      }
      guard let marker, file[marker.code] == 0xD0 + UInt8(number % 8) else {
        isLast = marker == nil
        return false
      }
      start = marker.code + 1
    }
    return true
  }

  /// The data without the bytes that are left over.
  var withoutSurplus: [UInt8] {
    codes.enumerated().reduce(into: []) { data, interval in
      if interval.offset > 0 { data += [0xFF, 0xD0 + UInt8((interval.offset - 1) % 8)] }
      data += file[interval.element]
    }
  }

  private func marker(from start: Int) -> (run: Int, code: Int)? {
    JPEGSegments.nextMarker(in: file, from: start, to: data.upperBound, skipsRestarts: false)
  }

  /// Returns `true` if no data follows interval `number`, where `marker` is the next marker. A restart marker after the
  /// last interval counts as fill.
  private func isEnd(_ marker: (run: Int, code: Int)?, _ number: Int) -> Bool {
    guard let marker else { return true }
    return number == (units - 1) / interval && file[marker.code] == 0xD0 + UInt8(number % 8)
      && unfilled(marker.code + 1..<data.upperBound) == 0
  }

  /// Counts the bytes between the last code and the marker after it.
  ///
  /// - Returns: the end of the bytes that `tolerance` covers.
  private mutating func countSurplus(from codesEnd: Int, before end: Int, _ tolerance: Int) -> Int {
    var place = codesEnd
    var kept = codesEnd
    var count = 0
    while place < end {
      let byte = file[place]
      // A stuffed zero is not counted.
      while file[place] == 0xFF, place + 1 < end { place += 1 }
      place += 1
      count += 1
      if count <= tolerance {
        kept = place
      } else if !Self.isFill(byte) {
        surplus = max(surplus, count - tolerance)
      }
    }
    return kept
  }

  /// Returns the number of bytes in a range without the fill at its end.
  private func unfilled(_ range: Range<Int>) -> Int {
    file[range].lastIndex { !Self.isFill($0) }.map { $0 - range.lowerBound + 1 } ?? 0
  }

  /// Returns `true` if encoders and memory cards use the byte as fill after the last code.
  static func isFill(_ byte: UInt8) -> Bool { byte == 0 || byte == 0xFF }

  /// Returns `true` if the last codes are zeros and more zeros follow. A lost block of the file reads as zeros, and
  /// these can be codes in tables where many zero bits are valid. Fill, in contrast, only begins after the last bits of
  /// the data.
  private func isZeroed(_ codes: Range<Int>) -> Bool {
    guard codes.count >= 8, codes.upperBound < data.upperBound else { return false }
    let zeros = codes.upperBound - 8...codes.upperBound
    // The first zero may be a stuffed one.
    return file[zeros].allSatisfy { $0 == 0 }
      && (zeros.lowerBound == codes.lowerBound || file[zeros.lowerBound - 1] != 0xFF)
  }
}

/// Adds stuffed zeros (T.81, F.1.2.3).
extension JPEGIntervals {
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

  /// Returns the position of the next 0xFF, or `end` if the range contains no 0xFF.
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
