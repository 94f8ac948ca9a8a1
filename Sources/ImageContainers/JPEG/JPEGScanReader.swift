/// Reads the data of one Huffman-coded scan of any kind into coefficients (T.81, F.2 and G.2).
struct JPEGScanReader {
  private struct Component {
    /// The index of its first block among all blocks, and the number of its blocks across and down.
    let start, across, down: Int
    /// The number of blocks in a unit of this scan, across and down.
    let horizontal, vertical: Int
    /// The indices in `lookups` at which its tables start. A table that the scan does not use may be missing.
    let dc, ac: Int
    /// The index of `JPEGHuffmanTable.skips` of the AC table, if the values of a sequential scan are not kept.
    let skips: Int
  }

  private let scan: JPEGScanHeader
  private let components: [Component]
  private let lookups: [UInt16]
  private let columns: Int
  private let isProgressive, isLenient: Bool

  /// Returns `nil` if a table that the scan needs is missing or invalid.
  ///
  /// - Parameter isLenient: `true` to accept everything that libjpeg accepts, even if no 8-bit picture needs it: larger
  ///   numbers, and tables that the file does not contain. The blocks keep no values then.
  init?(
    _ scan: JPEGScanHeader, _ planes: [JPEGPlane], _ tables: JPEGTables, frame: JPEGFrame,
    isLenient: Bool = false
  ) {
    self.scan = scan
    self.isLenient = isLenient
    isProgressive = frame.isProgressive
    let hasDC = !isProgressive || scan.first == 0 && scan.high == 0
    let hasAC = !isProgressive || scan.first > 0
    var components: [Component] = []
    var lookups: [UInt16] = []
    for (index, selectors) in scan.components {
      let dc = Self.lookup(selectors >> 4, tables, isLenient: isLenient)
      let ac = Self.lookup(selectors & 15 | 0x10, tables, isLenient: isLenient)
      guard dc != nil || !hasDC, ac != nil || !hasAC else { return nil }
      let start = lookups.count
      lookups += (dc ?? []) + (ac ?? [])
      let skips = lookups.count
      if isLenient, !isProgressive { lookups += JPEGHuffmanTable.skips(ac ?? []) }
      let plane = planes[index]
      components.append(
        Component(
          start: plane.start, across: plane.across, down: plane.down,
          horizontal: scan.isInterleaved ? plane.horizontal : 1,
          vertical: scan.isInterleaved ? plane.vertical : 1,
          dc: start, ac: start + (dc?.count ?? 0), skips: skips))
    }
    self.components = components
    self.lookups = lookups
    columns = frame.units(of: scan, planes).columns
  }

  /// Returns the lookup of a table, or `nil` if it is missing or invalid. If lenient, an invalid table has a lookup
  /// without codes.
  private static func lookup(
    _ place: Int, _ tables: JPEGTables, isLenient: Bool
  ) -> [UInt16]? {
    guard let table = tables.huffman[place] else {
      // libjpeg-turbo uses these tables, too.
      return isLenient
        ? JPEGHuffmanTable.typical(forDC: place < 16, isLuma: place & 15 == 0).lookup : nil
    }
    return JPEGHuffmanTable(counts: table.counts, symbols: table.symbols)?.lookup
      ?? (isLenient ? Array(repeating: 0, count: 1 << JPEGHuffmanTable.lookupBits) : nil)
  }

  /// Reads units of an interval.
  ///
  /// - Returns: the number of units that could be read. This is 0 if a scan of AC coefficients is damaged.
  func readScan(
    _ units: Range<Int>, _ bits: inout JPEGBits, of file: RawSpan, into blocks: inout JPEGBlocks
  ) -> Int {
    // A local copy stays in registers.
    var reader = bits
    defer { bits = reader }
    let count = blocks.count
    return blocks.dcAverages.withUnsafeMutableBufferPointer { dcAverages in
      blocks.values.withUnsafeMutableBufferPointer { values in
        blocks.starts.withUnsafeMutableBufferPointer { starts in
          blocks.filled.withUnsafeMutableBufferPointer { filled in
            lookups.withUnsafeBufferPointer { lookups in
              let work = Work(
                dcAverages: dcAverages.baseAddress!, values: values.baseAddress!,
                starts: starts.baseAddress!, filled: filled.baseAddress!,
                lookups: lookups.baseAddress!, scratch: count,
                kept: dcAverages.count > 1 ? ~0 : 0)
              return readRows(units, &reader, file, work, &blocks.packed)
            }
          }
        }
      }
    }
  }

  private func readRows(
    _ units: Range<Int>, _ reader: inout JPEGBits, _ file: RawSpan, _ work: Work,
    _ packed: inout [Int16]
  ) -> Int {
    switch (isProgressive, scan.first == 0, scan.high == 0) {
    case (false, _, _) where isLenient: skipSequential(units, &reader, file, work)
    case (false, _, _): readSequential(units, &reader, file, work, &packed)
    case (_, true, true): readDC(units, &reader, file, work)
    case (_, true, false): refineDC(units, &reader, file, work)
    case (_, false, true): readAC(units, &reader, file, work) ? units.count : 0
    case (_, false, false): refineAC(units, &reader, file, work) ? units.count : 0
    }
  }

  /// The memory of coefficients and lookups while a scan is read.
  private struct Work {
    let dcAverages: UnsafeMutablePointer<Int16>
    let values: UnsafeMutablePointer<Int16>
    let starts: UnsafeMutablePointer<Int>
    let filled: UnsafeMutablePointer<UInt64>
    let lookups: UnsafePointer<UInt16>
    /// The block that receives coefficients from outside of the picture.
    let scratch: Int
    /// A mask for block indices: all ones if each block has room for its values, and otherwise 0.
    let kept: Int
  }

  /// Visits the blocks of units in the order in which they are coded (T.81, A.2.3). Blocks outside of the picture are
  /// read into the scratch block.
  ///
  /// - Returns: the number of units that could be read.
  @inline(__always)
  private func forEachBlock(
    _ units: Range<Int>, _ shared: inout JPEGBits, _ work: Work,
    _ body: (_ block: Int, _ component: Int, inout JPEGBits) -> Bool
  ) -> Int {
    // A local copy stays in registers.
    var reader = shared
    defer { shared = reader }
    let components = components.span
    var (row, column) = units.lowerBound.quotientAndRemainder(dividingBy: columns)
    for unit in units {
      for index in components.indices {
        let component = components[index]
        for down in 0..<component.vertical {
          for across in 0..<component.horizontal {
            let x = column &* component.horizontal &+ across
            let y = row &* component.vertical &+ down
            let isInside = x < component.across && y < component.down
            let block = component.start &+ y &* component.across &+ x
            guard body(isInside ? block : work.scratch, index, &reader) else {
              return unit - units.lowerBound
            }
          }
        }
      }
      guard !reader.isOverrun else { return unit - units.lowerBound }
      column += 1
      if column == columns {
        row = row + 1
        column = 0
      }
    }
    return units.count
  }

  private func readSequential(
    _ units: Range<Int>, _ reader: inout JPEGBits, _ file: RawSpan, _ work: Work,
    _ packed: inout [Int16]
  ) -> Int {
    var predictions: InlineArray<4, Int> = [0, 0, 0, 0]
    return withUnsafeTemporaryAllocation(of: Int16.self, capacity: 64) { values in
      forEachBlock(units, &reader, work) { block, index, reader in
        let dc = work.lookups + components[index].dc
        let ac = work.lookups + components[index].ac
        guard let difference = reader.difference(dc, of: file) else { return false }
        predictions[index] &+= difference
        guard let average = Int16(exactly: predictions[index]) else { return false }
        work.dcAverages[block] = average
        var filled: UInt64 = 0
        var count = 0
        let isFilled = reader.coefficients(ac, of: file) { place, size, bits in
          values.initializeElement(
            at: count, to: Int16(truncatingIfNeeded: JPEGBits.number(bits, size)))
          count &+= 1
          filled |= 1 &<< UInt64(truncatingIfNeeded: place)
        }
        work.filled[block] = filled
        work.starts[block] = packed.count
        packed.append(contentsOf: UnsafeBufferPointer(rebasing: values[..<count]))
        return isFilled
      }
    }
  }

  /// Reads a sequential scan without keeping any values.
  private func skipSequential(
    _ units: Range<Int>, _ reader: inout JPEGBits, _ file: RawSpan, _ work: Work
  ) -> Int {
    forEachBlock(units, &reader, work) { _, index, reader in
      let component = components[index]
      return reader.difference(work.lookups + component.dc, of: file, mostBits: 16) != nil
        && reader.skipCoefficients(
          work.lookups + component.ac, work.lookups + component.skips, of: file)
    }
  }

  /// Returns `true` if a number fits into a coefficient, or if values are not kept.
  @inline(__always)
  private func fits(_ number: Int) -> Bool { isLenient || Int16(exactly: number) != nil }

  private func readDC(
    _ units: Range<Int>, _ reader: inout JPEGBits, _ file: RawSpan, _ work: Work
  ) -> Int {
    var predictions: InlineArray<4, Int> = [0, 0, 0, 0]
    return forEachBlock(units, &reader, work) { block, index, reader in
      let dc = work.lookups + components[index].dc
      guard let difference = reader.difference(dc, of: file, mostBits: isLenient ? 16 : 11)
      else { return false }
      predictions[index] &+= difference
      let average = predictions[index] << scan.low
      work.dcAverages[block & work.kept] = Int16(truncatingIfNeeded: average)
      return fits(average)
    }
  }

  private func refineDC(
    _ units: Range<Int>, _ reader: inout JPEGBits, _ file: RawSpan, _ work: Work
  ) -> Int {
    forEachBlock(units, &reader, work) { block, _, reader in
      reader.fill(file)
      work.dcAverages[block & work.kept] |= Int16(reader.readBits(1)) << Int16(scan.low)
      return true
    }
  }

  /// Reads the AC coefficients of a band (T.81, G.1.2.2). Scans of AC coefficients have one component, so their units
  /// are its blocks.
  private func readAC(
    _ units: Range<Int>, _ shared: inout JPEGBits, _ file: RawSpan, _ work: Work
  ) -> Bool {
    var reader = shared
    defer { shared = reader }
    let start = components[0].start
    let ac = work.lookups + components[0].ac
    var unit = units.lowerBound
    while unit < units.upperBound {
      let block = start + unit
      var next = scan.first
      unit += 1
      while next <= scan.last {
        reader.fill(file)
        let entry = reader.entry(ac)
        let length = Int(entry >> 8)
        let run = Int(entry >> 4 & 15)
        let size = Int(entry & 15)
        guard length > 0 else { return false }
        guard size > 0 else {
          guard run < 15 else {
            reader.skip(length)
            next += 16
            continue
          }
          // This number of blocks, including this one, have no more coefficients in this band.
          unit += (1 << run) + reader.readBits(run, after: length) - 1
          next = scan.last + 1
          break
        }
        next += run
        let value = JPEGBits.number(reader.readBits(size, after: length), size) << scan.low
        guard next <= scan.last, size <= 10 || isLenient, fits(value) else { return false }
        work.values[(block & work.kept) * 64 + next] = Int16(truncatingIfNeeded: value)
        work.filled[block] |= 1 << UInt64(next)
        next += 1
      }
      guard next == scan.last + 1, !reader.isOverrun else { return false }
    }
    // Data is damaged if a run of blocks passes the last block.
    return unit == units.upperBound
  }

  /// Refines AC coefficients (T.81, G.1.2.3). Each coefficient that is not zero gets one more bit, and new ones get
  /// their first.
  private func refineAC(
    _ units: Range<Int>, _ shared: inout JPEGBits, _ file: RawSpan, _ work: Work
  ) -> Bool {
    var reader = shared
    defer { shared = reader }
    let start = components[0].start
    let bit = Int16(1) << Int16(scan.low)
    let band = UInt64.max << UInt64(scan.first) & UInt64.max >> UInt64(63 - scan.last)
    let ac = work.lookups + components[0].ac
    /// The number of blocks that have no new coefficients in this band.
    var idle = 0
    for unit in units {
      let block = start + unit
      let values = work.values + (block & work.kept) * 64
      let filled = work.filled[block]
      var new: UInt64 = 0
      // The places of the band that have not been read yet.
      var left = band
      while idle == 0, left != 0 {
        reader.fill(file)
        let entry = reader.entry(ac)
        let length = Int(entry >> 8)
        let run = Int(entry >> 4 & 15)
        let size = Int(entry & 15)
        guard length > 0, size <= 1 else { return false }
        if size == 0, run < 15 {
          idle = (1 << run) + reader.readBits(run, after: length)
          break
        }
        let value = reader.readBits(size, after: length) == 1 ? bit : -bit
        // Skips `run` zero coefficients. A shift is enough if no nonzero coefficients lie in between.
        var zeros = left & ~filled
        let next = left.trailingZeroBitCount
        if filled &>> UInt64(truncatingIfNeeded: next) & (2 &<< UInt64(run) &- 1) == 0 {
          zeros &= UInt64.max << UInt64(truncatingIfNeeded: next &+ run)
        } else {
          for _ in 0..<run { zeros &= zeros &- 1 }
        }
        guard zeros != 0 else { return false }
        let place = UInt64(truncatingIfNeeded: zeros.trailingZeroBitCount)
        let passed = (1 &<< place) &- 1
        Self.refine(values, left & filled & passed, bit, &reader, file)
        left &= ~(passed | 1 &<< place)
        if size > 0 {
          values[Int(place)] = value
          new |= 1 &<< place
        }
      }
      work.filled[block] = filled | new
      if idle > 0 {
        Self.refine(values, left & filled, bit, &reader, file)
        idle -= 1
      }
      guard !reader.isOverrun else { return false }
    }
    return idle == 0
  }

  /// Takes one more bit for each coefficient at these places, whose lowest known bit is one higher.
  @inline(__always)
  private static func refine(
    _ values: UnsafeMutablePointer<Int16>, _ places: UInt64, _ bit: Int16,
    _ reader: inout JPEGBits, _ file: RawSpan
  ) {
    var left = places
    while left != 0 {
      reader.fill(file)
      let bits = UInt32(truncatingIfNeeded: reader.peek(32))
      var taken = 0
      repeat {
        let place = left.trailingZeroBitCount
        left &= left &- 1
        // Adds the bit away from zero if it is set, without a branch.
        let isSet = Int16(truncatingIfNeeded: bits &>> UInt32(31 &- taken)) & 1
        let sign = values[place] &>> 15
        values[place] &+= ((bit & (0 &- isSet)) ^ sign) &- sign
        taken &+= 1
      } while left != 0 && taken < 32
      reader.skip(taken)
    }
  }
}
