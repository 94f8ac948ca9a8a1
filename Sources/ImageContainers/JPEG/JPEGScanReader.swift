/// Reads the data of one scan, of any Huffman coding, into the coefficients (T.81, F.2 and G.2).
struct JPEGScanReader {
  private struct Component {
    /// Its first block of all, and its blocks across and down.
    let start, across, down: Int
    /// Blocks of a unit of this scan, across and down.
    let horizontal, vertical: Int
    /// Where the lookups of its tables start; there is none of codes that the scan does not have.
    let dc, ac: Int
    /// Where `JPEGHuffmanTable.skips` of AC start, if nothing is kept of the scan.
    let skips: Int
  }

  private let scan: JPEGScanHeader
  private let components: [Component]
  private let lookups: [UInt16]
  private let columns: Int
  private let isProgressive, isLenient: Bool

  /// Nil when a table that the scan needs is missing or invalid.
  ///
  /// - Parameter isLenient: takes what libjpeg takes, although no 8-bit picture needs it: larger numbers, and
  ///   tables that the file does not bring. The blocks keep no values.
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

  /// Returns the lookup of a table; nil if there is none. A lenient one has no code for an invalid table.
  private static func lookup(
    _ place: Int, _ tables: JPEGTables, isLenient: Bool
  ) -> [UInt16]? {
    guard let table = tables.huffman[place] else {
      // As libjpeg-turbo fills them in.
      return isLenient
        ? JPEGHuffmanTable.typical(forDC: place < 16, isLuma: place & 15 == 0).lookup : nil
    }
    return JPEGHuffmanTable(counts: table.counts, symbols: table.symbols)?.lookup
      ?? (isLenient ? Array(repeating: 0, count: 1 << JPEGHuffmanTable.lookupBits) : nil)
  }

  /// Reads units of an interval.
  ///
  /// - Returns: how many could be read. A scan of AC coefficients that is damaged counts as none.
  func read(
    _ units: Range<Int>, _ bits: inout JPEGBits, of file: RawSpan, into blocks: inout JPEGBlocks
  ) -> Int {
    // In registers while it works.
    var reader = bits
    defer { bits = reader }
    let count = blocks.count
    return blocks.averages.withUnsafeMutableBufferPointer { averages in
      blocks.values.withUnsafeMutableBufferPointer { values in
        blocks.starts.withUnsafeMutableBufferPointer { starts in
          blocks.filled.withUnsafeMutableBufferPointer { filled in
            lookups.withUnsafeBufferPointer { lookups in
              let work = Work(
                averages: averages.baseAddress!, values: values.baseAddress!,
                starts: starts.baseAddress!, filled: filled.baseAddress!,
                lookups: lookups.baseAddress!, scratch: count,
                kept: averages.count > 1 ? ~0 : 0)
              return read(units, &reader, file, work, &blocks.packed)
            }
          }
        }
      }
    }
  }

  private func read(
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

  /// Where coefficients and lookups lie while a scan is read.
  private struct Work {
    let averages: UnsafeMutablePointer<Int16>
    let values: UnsafeMutablePointer<Int16>
    let starts: UnsafeMutablePointer<Int>
    let filled: UnsafeMutablePointer<UInt64>
    let lookups: UnsafePointer<UInt16>
    /// The block that takes what lies outside of the picture.
    let scratch: Int
    /// All bits of a block's number where each has room for its values, else none.
    let kept: Int
  }

  /// Goes through the blocks of units in the order they are coded (T.81, A.2.3). Those outside of the
  /// picture are read into the scratch block.
  ///
  /// - Returns: how many units could be read.
  @inline(__always)
  private func forEachBlock(
    _ units: Range<Int>, _ shared: inout JPEGBits, _ work: Work,
    _ body: (_ block: Int, _ component: Int, inout JPEGBits) -> Bool
  ) -> Int {
    // In registers while it works.
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
        work.averages[block] = average
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

  /// Goes through a sequential scan of which nothing is kept.
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

  /// Returns whether a number has room among coefficients.
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
      work.averages[block & work.kept] = Int16(truncatingIfNeeded: average)
      return fits(average)
    }
  }

  private func refineDC(
    _ units: Range<Int>, _ reader: inout JPEGBits, _ file: RawSpan, _ work: Work
  ) -> Int {
    forEachBlock(units, &reader, work) { block, _, reader in
      reader.fill(file)
      work.averages[block & work.kept] |= Int16(reader.take(1)) << Int16(scan.low)
      return true
    }
  }

  /// Reads the AC coefficients of a band (T.81, G.1.2.2). Scans of AC coefficients have one component, so units are its blocks.
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
          // This many blocks, this one included, have no more in this band.
          unit += (1 << run) + reader.take(run, after: length) - 1
          next = scan.last + 1
          break
        }
        next += run
        let value = JPEGBits.number(reader.take(size, after: length), size) << scan.low
        guard next <= scan.last, size <= 10 || isLenient, fits(value) else { return false }
        work.values[(block & work.kept) * 64 + next] = Int16(truncatingIfNeeded: value)
        work.filled[block] |= 1 << UInt64(next)
        next += 1
      }
      guard next == scan.last + 1, !reader.isOverrun else { return false }
    }
    // A run of blocks that goes on behind the last one means damaged data.
    return unit == units.upperBound
  }

  /// Refines AC coefficients (T.81, G.1.2.3): each coefficient that is not zero takes one bit more, new ones get their first.
  private func refineAC(
    _ units: Range<Int>, _ shared: inout JPEGBits, _ file: RawSpan, _ work: Work
  ) -> Bool {
    var reader = shared
    defer { shared = reader }
    let start = components[0].start
    let bit = Int16(1) << Int16(scan.low)
    let band = UInt64.max << UInt64(scan.first) & UInt64.max >> UInt64(63 - scan.last)
    let ac = work.lookups + components[0].ac
    /// Blocks that have nothing new in this band.
    var idle = 0
    for unit in units {
      let block = start + unit
      let values = work.values + (block & work.kept) * 64
      let filled = work.filled[block]
      var new: UInt64 = 0
      // Places of the band that are still to come.
      var left = band
      while idle == 0, left != 0 {
        reader.fill(file)
        let entry = reader.entry(ac)
        let length = Int(entry >> 8)
        let run = Int(entry >> 4 & 15)
        let size = Int(entry & 15)
        guard length > 0, size <= 1 else { return false }
        if size == 0, run < 15 {
          idle = (1 << run) + reader.take(run, after: length)
          break
        }
        let value = reader.take(size, after: length) == 1 ? bit : -bit
        // Skips `run` zero coefficients; without nonzero ones in between that is a plain shift.
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

  /// Takes one bit more of the coefficients at these places, whose lowest known bit is one above.
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
        // Away from zero, by the bit or not at all, without a branch.
        let isSet = Int16(truncatingIfNeeded: bits &>> UInt32(31 &- taken)) & 1
        let sign = values[place] &>> 15
        values[place] &+= ((bit & (0 &- isSet)) ^ sign) &- sign
        taken &+= 1
      } while left != 0 && taken < 32
      reader.skip(taken)
    }
  }
}
