/// Turns blocks one by one, with tables that are prepared once for all blocks.
struct JPEGTurning {
  private let blocks: [JPEGScan.Block]
  private let lookups: [UInt16]
  private let places: [UInt8]
  /// An entry for each component and symbol: (code << size of its value) << 8 | number of bits of both.
  private let codes: [UInt64]

  /// The maximum number of bits for the AC coefficients of a block: 63 codes of 16 bits with values of 10 bits.
  private static let maxBits = 63 * 26 + 16

  /// - Parameter tables: one table for each component, to write codes with.
  init(_ scan: JPEGScan, _ turn: JPEGTurn, _ tables: [JPEGHuffmanTable]) {
    blocks = scan.blocks
    lookups = scan.lookups
    places = turn.places
    codes = tables.flatMap { table in
      table.codes.enumerated().map { symbol, code in
        let size = UInt64(symbol & 15)
        return (UInt64(code >> 8) << size) << 8 | UInt64(code & 0xFF) + size
      }
    }
  }

  /// Turns the blocks of units.
  ///
  /// - Parameters:
  ///   - starts: receives the position of each block's codes in the written bits.
  ///   - dcAverages: receives the DC coefficient of each block.
  /// - Returns: `false` if the data is damaged.
  func turn(
    _ units: Range<Int>, _ reader: inout JPEGBits, of file: RawSpan, _ writer: inout JPEGBitWriter,
    _ starts: inout UnsafeMutableBufferPointer<Int>,
    _ dcAverages: inout UnsafeMutableBufferPointer<Int16>
  ) -> Bool {
    var predictions: InlineArray<4, Int> = [0, 0, 0, 0]
    var block = units.lowerBound * blocks.count
    for first in stride(from: units.lowerBound, to: units.upperBound, by: 64) {
      let some = first..<min(first + 64, units.upperBound)
      writer.reserve(some.count * blocks.count * Self.maxBits)
      let isComplete = writer.write { pen in
        turn(some.count, &reader, file, &pen, &predictions) { average, start in
          starts.initializeElement(at: block, to: start)
          dcAverages.initializeElement(at: block, to: average)
          block &+= 1
        }
      }
      guard isComplete else { return false }
    }
    return true
  }

  @inline(__always)
  private func turn(
    _ unitCount: Int, _ sharedReader: inout JPEGBits, _ file: RawSpan,
    _ sharedPen: inout JPEGBitWriter.Pen,
    _ predictions: inout InlineArray<4, Int>, _ keep: (_ average: Int16, _ start: Int) -> Void
  ) -> Bool {
    // Local copies stay in registers.
    var reader = sharedReader
    var pen = sharedPen
    defer {
      sharedReader = reader
      sharedPen = pen
    }
    return withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { coefficients in
      lookups.withUnsafeBufferPointer { lookups in
        codes.withUnsafeBufferPointer { codes in
          places.withUnsafeBufferPointer { places in
            blocks.withUnsafeBufferPointer { blocks in
              for _ in 0..<unitCount {
                for block in blocks {
                  guard
                    let difference = reader.difference(
                      lookups.baseAddress! + block.dc, of: file)
                  else { return false }
                  predictions[block.component] &+= difference
                  let found = Self.readCoefficients(
                    &reader, file, lookups.baseAddress! + block.ac, places.baseAddress!,
                    into: coefficients.baseAddress!)
                  let average = predictions[block.component]
                  guard let found, JPEGCoefficients.isAverage(average) else { return false }
                  keep(Int16(truncatingIfNeeded: average), pen.count)
                  Self.write(
                    found, coefficients.baseAddress!,
                    codes.baseAddress! + block.component &* 256, &pen)
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
  /// - Returns: a bit for each place with a coefficient that is not zero, or `nil` if the codes of the block are
  ///   invalid.
  @inline(__always)
  private static func readCoefficients(
    _ reader: inout JPEGBits, _ file: RawSpan, _ lookup: UnsafePointer<UInt16>,
    _ places: UnsafePointer<UInt8>, into coefficients: UnsafeMutablePointer<UInt32>
  ) -> UInt64? {
    var found: UInt64 = 0
    let isFilled = reader.coefficients(lookup, of: file) { place, size, bits in
      let place = places[place]
      // The bits of a negated value are inverted.
      let flip = (1 &<< UInt32(truncatingIfNeeded: size) &- 1) & (0 &- UInt32(place >> 6))
      let new = Int(place & 63)
      coefficients[new] = UInt32(truncatingIfNeeded: size &<< 16 | bits) ^ flip
      found |= 1 &<< UInt64(truncatingIfNeeded: new)
    }
    return isFilled ? found : nil
  }

  /// Writes a block's AC coefficients (T.81, F.1.2.2).
  @inline(__always)
  private static func write(
    _ found: UInt64, _ coefficients: UnsafePointer<UInt32>, _ codes: UnsafePointer<UInt64>,
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
        pen.put(codes[0xF0] >> 8, Int(codes[0xF0] & 0xFF))
        run &-= 16
      }
      let coefficient = coefficients[place]
      let code = codes[run &<< 4 | Int(coefficient >> 16)]
      pen.put(code >> 8 | UInt64(coefficient & 0xFFFF), Int(code & 0xFF))
    }
    if last < 63 { pen.put(codes[0] >> 8, Int(codes[0] & 0xFF)) }
  }
}
