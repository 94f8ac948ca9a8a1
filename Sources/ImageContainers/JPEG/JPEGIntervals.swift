/// The entropy-coded data of a scan, read interval by interval: restart markers stand between those (T.81,
/// B.1.1.5 and F.1.2.3).
struct JPEGIntervals {
  private let file: [UInt8]
  private let data: Range<Int>
  private let units, interval: Int
  /// Where the codes of each interval lie that was read.
  private(set) var codes: [Range<Int>] = []
  /// The largest number of bytes that are left over in one place, up to the last one that is no fill.
  private(set) var surplus = 0
  /// How many units could be read.
  private(set) var unitsRead = 0
  /// Whether a decoder finds nothing more behind the place where reading failed, as no restart marker follows.
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
  ///   - isCut: no marker ends the data; bytes behind the last code are ignored.
  ///   - tolerance: how many bytes a decoder may take too many of, or leave.
  ///   - body: gets the units of an interval and its bits; returns how many units it could read.
  /// - Returns: false as soon as a unit cannot be read, when the data ends in lost blocks, and when a marker is
  ///   missing or out of sequence (0 to 7, then 0 again).
  mutating func read(
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
      codes.append(start..<leave(from: end, before: marker?.run ?? data.upperBound, tolerance))
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

  /// Returns the data without the bytes that are left over.
  var withoutSurplus: [UInt8] {
    codes.enumerated().reduce(into: []) { data, interval in
      if interval.offset > 0 { data += [0xFF, 0xD0 + UInt8((interval.offset - 1) % 8)] }
      data += file[interval.element]
    }
  }

  private func marker(from start: Int) -> (run: Int, code: Int)? {
    JPEGSegments.nextMarker(in: file, from: start, to: data.upperBound, skipsRestarts: false)
  }

  /// Returns whether the data ends with an interval, before a marker. One more marker than intervals begin is
  /// only fill.
  private func isEnd(_ marker: (run: Int, code: Int)?, _ number: Int) -> Bool {
    guard let marker else { return true }
    return number == (units - 1) / interval && file[marker.code] == 0xD0 + UInt8(number % 8)
      && unfilled(marker.code + 1..<data.upperBound) == 0
  }

  /// Counts the bytes between the last code and the marker behind it.
  ///
  /// - Returns: where those end that the tolerance is for.
  private mutating func leave(from codesEnd: Int, before end: Int, _ tolerance: Int) -> Int {
    var place = codesEnd
    var kept = codesEnd
    var count = 0
    while place < end {
      let byte = file[place]
      // A stuffed zero is none of them.
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

  /// Returns how many bytes there are up to the last one that is no fill.
  private func unfilled(_ range: Range<Int>) -> Int {
    file[range].lastIndex { !Self.isFill($0) }.map { $0 - range.lowerBound + 1 } ?? 0
  }

  /// Returns whether such a byte may stand behind the last code: what encoders and cards fill up with.
  static func isFill(_ byte: UInt8) -> Bool { byte == 0 || byte == 0xFF }

  /// Returns whether the last codes are zeros that go on behind them: a lost block reads as codes where many
  /// bits of zero are some, and what fills up a file begins behind its own last bits.
  private func isZeroed(_ codes: Range<Int>) -> Bool {
    guard codes.count >= 8, codes.upperBound < data.upperBound else { return false }
    let zeros = codes.upperBound - 8...codes.upperBound
    // The first one may be stuffed.
    return file[zeros].allSatisfy { $0 == 0 }
      && (zeros.lowerBound == codes.lowerBound || file[zeros.lowerBound - 1] != 0xFF)
  }
}

/// Stuffed zeros (T.81, F.1.2.3).
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
