/// The blocks of a scan, each turned for itself and coded again, in the order they are stored.
struct JPEGTurnedBlocks {
  /// The codes of all AC coefficients, block after block.
  private(set) var codes: JPEGBitWriter
  /// Where each block's codes start in `codes`, in bits, and where the last ones end.
  private(set) var starts: [Int]
  /// The DC coefficient of each block.
  private(set) var averages: [Int16]

  /// - Parameter tables: one a component, with codes for all AC coefficients of 8-bit pictures.
  ///
  /// Nil when a code is none, a block has too many coefficients, or the data ends too early.
  init?(_ scan: JPEGScan, of bytes: [UInt8], by turn: JPEGTurn, tables: [JPEGHuffmanTable]) {
    guard let data = JPEGEntropyData(bytes, of: scan) else { return nil }
    let count = scan.columns * scan.rows * scan.blocks.count
    var codes = JPEGBitWriter(capacity: scan.data.count + scan.data.count / 8)
    var averages: [Int16] = []
    starts = [Int](unsafeUninitializedCapacity: count + 1) { starts, startCount in
      averages = [Int16](unsafeUninitializedCapacity: count) { averages, averageCount in
        let turning = Turning(scan, turn, tables)
        let taken = data.read { units, reader in
          turning.turn(units, &reader, &codes, &starts, &averages)
        }
        averageCount = taken != nil ? count : 0
      }
      if averages.count == count { starts.initializeElement(at: count, to: codes.count) }
      startCount = averages.count == count ? count + 1 : 0
    }
    guard !starts.isEmpty else { return nil }
    (self.codes, self.averages) = (codes, averages)
  }
}

extension JPEGTurnedBlocks {
  /// All blocks in the order of the turned picture, DC coefficients coded as differences (T.81,
  /// F.1.2.1), as bytes without stuffed zeros.
  ///
  /// - Parameter tables: one a component, with codes for all differences of 8-bit pictures.
  /// - Returns: nil when a difference is larger than those pictures have.
  func inOrder(
    of scan: JPEGScan, by turn: JPEGTurn, tables: [JPEGHuffmanTable]
  ) -> ArraySlice<UInt8>? {
    let units = turn.units(of: scan)
    let blocks = turn.blocks(of: scan)
    let tables = tables.flatMap { $0.codes.prefix(16) }
    var predictions: InlineArray<4, Int> = [0, 0, 0, 0]
    // No difference takes more than 16 + 11 bits.
    var writer = JPEGBitWriter(capacity: (codes.count + 27 * averages.count) / 8 + 16)
    let isWritten = writer.write { pen in
      codes.bytes.withUnsafeBytes { codes in
        for unit in units {
          for (component, block) in blocks {
            let index = unit * blocks.count + block
            let average = Int(averages[index])
            let difference = average - predictions[component]
            predictions[component] = average
            let size = Int.bitWidth - abs(difference).leadingZeroBitCount
            guard size <= 11 else { return false }
            let code = tables[component &* 16 &+ size]
            // The lower half of the values stands for negative ones.
            let bits = UInt64(truncatingIfNeeded: difference < 0 ? difference - 1 : difference)
            pen.put(UInt64(code >> 8), Int(code & 0xFF))
            pen.put(bits & (1 << UInt64(size) - 1), size)
            pen.copy(codes, from: starts[index], to: starts[index + 1])
          }
        }
        return true
      }
    }
    return isWritten ? writer.finish() : nil
  }
}

/// What turning needs of each block of a unit, looked up once.
private struct Turning {
  private let blocks: [JPEGScan.Block]
  private let lookups: [UInt16]
  private let places: [UInt8]
  /// For each component the codes of 256 symbols.
  private let codes: [UInt32]
  /// The most that the AC coefficients of a block can take: 63 codes of 16 bits with 10 more each.
  private static let mostBits = 63 * 26 + 16

  init(_ scan: JPEGScan, _ turn: JPEGTurn, _ tables: [JPEGHuffmanTable]) {
    (blocks, lookups, places) = (scan.blocks, scan.lookups, turn.places)
    codes = tables.flatMap(\.codes)
  }

  func turn(
    _ units: Range<Int>, _ reader: inout JPEGBitReader, _ writer: inout JPEGBitWriter,
    _ starts: inout UnsafeMutableBufferPointer<Int>,
    _ averages: inout UnsafeMutableBufferPointer<Int16>
  ) -> Bool {
    var predictions: InlineArray<4, Int> = [0, 0, 0, 0]
    var block = units.lowerBound * blocks.count
    for first in stride(from: units.lowerBound, to: units.upperBound, by: 64) {
      let some = first..<min(first + 64, units.upperBound)
      writer.reserve(some.count * blocks.count * Self.mostBits)
      let isWhole = writer.write { pen in
        turn(some.count, &reader, &pen, &predictions) { average, start in
          starts.initializeElement(at: block, to: start)
          averages.initializeElement(at: block, to: average)
          block += 1
        }
      }
      guard isWhole else { return false }
    }
    return true
  }

  @inline(__always)
  private func turn(
    _ unitCount: Int, _ reader: inout JPEGBitReader, _ pen: inout JPEGBitWriter.Pen,
    _ predictions: inout InlineArray<4, Int>, _ keep: (_ average: Int16, _ start: Int) -> Void
  ) -> Bool {
    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { coefficients in
      lookups.withUnsafeBufferPointer { lookups in
        codes.withUnsafeBufferPointer { codes in
          places.withUnsafeBufferPointer { places in
            blocks.withUnsafeBufferPointer { blocks in
              for _ in 0..<unitCount {
                for block in blocks {
                  guard let difference = reader.difference(lookups.baseAddress! + block.dc)
                  else { return false }
                  predictions[block.component] &+= difference
                  let found = Self.read(
                    &reader, lookups.baseAddress! + block.ac, places.baseAddress!,
                    into: coefficients.baseAddress!)
                  let average = predictions[block.component]
                  guard let found, JPEGCoefficients.isAverage(average) else { return false }
                  keep(Int16(average), pen.count)
                  Self.write(
                    found, coefficients.baseAddress!, codes.baseAddress! + block.component * 256,
                    &pen)
                }
                guard !reader.isOverrun else { return false }
              }
              return true
            }
          }
        }
      }
    }
  }

  /// Reads a block's AC coefficients to their new places, as size << 16 | bits (T.81, F.1.2.2.1).
  ///
  /// - Returns: a bit for each place that has one; nil when they do not fill the block.
  @inline(__always)
  private static func read(
    _ reader: inout JPEGBitReader, _ lookup: UnsafePointer<UInt16>, _ places: UnsafePointer<UInt8>,
    into coefficients: UnsafeMutablePointer<UInt32>
  ) -> UInt64? {
    var found: UInt64 = 0
    var next = 1
    while next < 64 {
      reader.fill()
      let entry = reader.entry(lookup)
      let (length, run, size) = (Int(entry >> 8), Int(entry >> 4 & 15), Int(entry & 15))
      guard size > 0 else {
        guard length > 0, run == 0 || run == 15 else { return nil }
        reader.skip(length)
        if run == 0 { return found }
        next += 16
        continue
      }
      next &+= run
      guard next < 64, size <= 10 else { return nil }
      let place = places[next]
      // A value's negative has the opposite bits.
      let flip = (1 &<< size &- 1) & (0 &- Int(place >> 6))
      let new = Int(place & 63)
      coefficients[new] = UInt32(
        truncatingIfNeeded: size &<< 16 | (reader.take(size, after: length) ^ flip))
      found |= 1 &<< UInt64(truncatingIfNeeded: new)
      next &+= 1
    }
    return next == 64 ? found : nil
  }

  /// Writes a block's AC coefficients (T.81, F.1.2.2).
  @inline(__always)
  private static func write(
    _ found: UInt64, _ coefficients: UnsafePointer<UInt32>, _ codes: UnsafePointer<UInt32>,
    _ pen: inout JPEGBitWriter.Pen
  ) {
    var left = found
    var last = 0
    while left != 0 {
      let place = left.trailingZeroBitCount
      left &= left &- 1
      var run = place &- last &- 1
      last = place
      while run > 15 {
        pen.put(UInt64(codes[0xF0] >> 8), Int(codes[0xF0] & 0xFF))
        run &-= 16
      }
      let coefficient = coefficients[place]
      let size = Int(coefficient >> 16)
      let code = codes[run &<< 4 | size]
      pen.put(
        UInt64(code >> 8) &<< UInt64(truncatingIfNeeded: size) | UInt64(coefficient & 0xFFFF),
        Int(code & 0xFF) &+ size)
    }
    if last < 63 { pen.put(UInt64(codes[0] >> 8), Int(codes[0] & 0xFF)) }
  }
}
