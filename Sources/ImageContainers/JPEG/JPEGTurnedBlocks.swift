/// The blocks of a scan in their stored order. Each block is turned and coded again.
struct JPEGTurnedBlocks {
  /// The codes of all AC coefficients, block after block.
  private(set) var codes: JPEGBitWriter
  /// The positions in `codes`, in bits, where each block's codes start, and the end of the last block's codes.
  private(set) var starts: [Int]
  /// The DC coefficient of each block.
  private(set) var dcAverages: [Int16]

  /// Returns `nil` if a code is invalid, a block has too many coefficients, or the data ends too early.
  ///
  /// - Parameter tables: one table for each component, with codes for all AC coefficients of 8-bit pictures.
  init?(_ scan: JPEGScan, of bytes: [UInt8], by turn: JPEGTurn, tables: [JPEGHuffmanTable]) {
    var intervals = JPEGIntervals(bytes, of: scan)
    let count = scan.columns * scan.rows * scan.blocks.count
    var codes = JPEGBitWriter(capacity: scan.data.count + scan.data.count / 8)
    var dcAverages: [Int16] = []
    starts = [Int](unsafeUninitializedCapacity: count + 1) { starts, startCount in
      dcAverages = [Int16](unsafeUninitializedCapacity: count) { dcAverages, averageCount in
        let turning = JPEGTurning(scan, turn, tables)
        let isRead = intervals.readIntervals { units, reader in
          turning.turn(units, &reader, of: bytes.span.bytes, &codes, &starts, &dcAverages)
            ? units.count : 0
        }
        averageCount = isRead && intervals.surplus == 0 ? count : 0
      }
      if dcAverages.count == count { starts.initializeElement(at: count, to: codes.count) }
      startCount = dcAverages.count == count ? count + 1 : 0
    }
    guard !starts.isEmpty else { return nil }
    self.codes = codes
    self.dcAverages = dcAverages
  }

  /// Returns all blocks in the order of the turned picture, as bytes without stuffed zeros. DC coefficients are coded
  /// as differences (T.81, F.1.2.1).
  ///
  /// - Parameter tables: one table for each component, with codes for all DC differences of 8-bit pictures.
  /// - Returns: `nil` if a difference is larger than in 8-bit pictures.
  func inOrder(
    of scan: JPEGScan, by turn: JPEGTurn, tables: [JPEGHuffmanTable]
  ) -> ArraySlice<UInt8>? {
    let units = turn.units(of: scan)
    let blocks = turn.blocks(of: scan)
    let tables = tables.flatMap { $0.codes.prefix(16) }
    var predictions: InlineArray<4, Int> = [0, 0, 0, 0]
    // A difference takes at most 16 + 11 bits.
    var writer = JPEGBitWriter(capacity: (codes.count + 27 * dcAverages.count) / 8 + 16)
    let isWritten = writer.write { shared in
      // A local copy stays in registers.
      var pen = shared
      defer { shared = pen }
      return codes.bytes.withUnsafeBytes { codes in
        for unit in units {
          for (component, block) in blocks {
            let index = unit &* blocks.count &+ block
            let average = Int(dcAverages[index])
            let difference = average - predictions[component]
            predictions[component] = average
            let size = Int.bitWidth - abs(difference).leadingZeroBitCount
            guard size <= 11 else { return false }
            let code = tables[component &* 16 &+ size]
            // The lower half of the values encodes negative numbers.
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
