/// Whether the codes of a JPEG yield every block of each of its scans (T.81, F.2 and G.2), read as a
/// decoder reads them; no coefficient is kept.
struct JPEGCompleteness {
  private let frame: JPEGFrame
  private var planes: [JPEGPlane]
  /// Of a progressive picture for each block a bit for each coefficient that is not zero: a refinement
  /// has a bit for each. One block more takes what lies outside of the picture.
  private var filled: [UInt64]
  /// Scans in which bytes are left over behind the codes, and their data without them.
  private var surplus: [(range: Range<Int>, data: [UInt8])] = []

  /// Bytes that may be left over behind the last code of a restart interval or scan (decision 73).
  private static let mostSurplus = 32

  /// Reads all scans.
  ///
  /// - Returns: where in the file the data of the last one ends, and which data has bytes left over, with
  ///   what it is without them.
  /// - Throws: `incomplete` when a code is none, leads outside of its block or is missing, a restart marker
  ///   is not the next number, or a scan refines what none brought; `malformed` when every block is there
  ///   and more than a few bytes are left over.
  static func check(
    _ bytes: [UInt8], _ segments: JPEGSegments, _ frame: JPEGFrame
  ) throws(ContainerError) -> (end: Int, surplus: [(range: Range<Int>, data: [UInt8])]) {
    var reading = JPEGCompleteness(frame)
    guard !frame.isProgressive || reading.filled.count <= 8 * bytes.count else {
      throw .incomplete("jpeg-data", percentShown: nil)
    }
    var tables = JPEGTables()
    var end = segments.end
    let last = segments.list.lastIndex { $0.marker == JPEGMarker.sos }
    for (index, segment) in segments.list.enumerated() {
      try tables.read(bytes, segment)
      guard segment.marker == JPEGMarker.sos else { continue }
      end = try reading.read(
        JPEGScanHeader(bytes, segment, of: frame), tables, of: bytes,
        in: segment.payload.upperBound..<segment.range.upperBound,
        isCut: !segments.hasEOI && index == last)
    }
    // Without an end mark scans may be missing, which would bring the rest.
    guard segments.hasEOI || reading.planes.allSatisfy({ $0.known.allSatisfy { $0 == 0 } }) else {
      throw .incomplete("jpeg-scans", percentShown: nil)
    }
    return (end, reading.surplus)
  }

  private init(_ frame: JPEGFrame) {
    self.frame = frame
    planes = frame.planes
    let count = planes.reduce(0) { $0 + $1.count }
    filled = Array(repeating: 0, count: frame.isProgressive ? count + 1 : 0)
  }

  /// A scan, and how its units lie.
  private struct Scan {
    /// A block of a unit: which of the frame's components it is of, and what its codes are.
    struct Block {
      let component, selectors: Int
      let dc, ac: [UInt16]
    }
    let header: JPEGScanHeader
    let isProgressive: Bool
    var blocks: [Block] = []
    /// Units across, and all of them.
    let columns, units: Int
    /// Whether nothing is shown of a block that is missing: other scans only make blocks sharper.
    var bringsAverages: Bool { !isProgressive || header.first == 0 && header.high == 0 }
  }

  private func scan(_ header: JPEGScanHeader, _ tables: JPEGTables) -> Scan {
    let (columns, units) = frame.units(of: header, planes)
    var scan = Scan(
      header: header, isProgressive: frame.isProgressive, columns: columns, units: units)
    for (index, selectors) in header.components {
      let dc = lookup(selectors >> 4, tables)
      let ac = lookup(selectors & 15 | 0x10, tables)
      let plane = planes[index]
      let count = header.isInterleaved ? plane.horizontal * plane.vertical : 1
      scan.blocks += Array(
        repeating: .init(component: index, selectors: selectors, dc: dc, ac: ac), count: count)
    }
    return scan
  }

  /// Returns the lookup of a table; of one that the file does not bring what
  /// libjpeg-turbo fills in, and no code of one that is none.
  private func lookup(_ place: Int, _ tables: JPEGTables) -> [UInt16] {
    guard let table = tables.huffman[place] else {
      return JPEGHuffmanTable.typical(forDC: place < 16, isLuma: place & 15 == 0).lookup
    }
    return JPEGHuffmanTable(counts: table.counts, symbols: table.symbols)?.lookup
      ?? Array(repeating: 0, count: 1 << JPEGHuffmanTable.lookupBits)
  }
}

extension JPEGCompleteness {
  private mutating func read(
    _ header: JPEGScanHeader, _ tables: JPEGTables, of bytes: [UInt8], in range: Range<Int>,
    isCut: Bool
  ) throws(ContainerError) -> Int {
    let scan = scan(header, tables)
    guard isInOrder(header) else { throw .incomplete("jpeg-scans", percentShown: nil) }
    let data = JPEGEntropyData(
      bytes, in: range, units: scan.units, restartInterval: tables.restartInterval)
    var done = 0
    let tolerance = frame.isArithmetic ? tolerance(of: scan, bytes.count) : 0
    let stops = data.read(isCut: isCut, tolerance: tolerance, allowsSurplus: true) {
      units, reader in
      done = units.lowerBound
      return frame.isArithmetic
        ? readArithmetic(units, &reader, scan, tables.conditioning, tolerance: tolerance, &done)
        : read(units, &reader, scan, &done)
    }
    if let stops, let stop = stops.last {
      if !isCut {
        let (codes, most) = data.withoutSurplus(behind: stops, tolerance: tolerance)
        guard most <= Self.mostSurplus else {
          throw .malformed("jpeg-surplus", offset: range.upperBound)
        }
        if most > 0 { surplus.append((range, codes)) }
      }
      return JPEGEntropyData.place(after: (stop + 7) / 8, of: bytes, in: range)
    }
    // Behind a restart marker a decoder finds its way again.
    let isLower = scan.bringsAverages && done < scan.units && data.isLast(done)
    let rows = scan.units / scan.columns
    throw .incomplete(
      "jpeg-data", percentShown: isLower ? done / scan.columns * 100 / rows : nil)
  }

  /// Takes note of what a scan brings; false when it refines what none brought (T.81, G.1.1.1).
  private mutating func isInOrder(_ header: JPEGScanHeader) -> Bool {
    for (index, _) in header.components {
      for place in frame.isProgressive ? header.first...header.last : 0...63 {
        guard header.high == 0 || !frame.isProgressive || planes[index].known[place] == header.high
        else { return false }
        planes[index].known[place] = frame.isProgressive ? header.low : 0
      }
    }
    return true
  }

  /// Reads units.
  ///
  /// - Parameter done: counts those whose codes could be followed.
  private mutating func read(
    _ units: Range<Int>, _ reader: inout JPEGBitReader, _ scan: Scan, _ done: inout Int
  ) -> Bool {
    /// Blocks that have nothing new in this band.
    var idle = 0
    for unit in units {
      for block in scan.blocks {
        guard self.read(block, of: unit, &reader, scan, &idle), !reader.isOverrun else {
          return false
        }
      }
      done += 1
    }
    return idle == 0
  }

  private mutating func read(
    _ block: Scan.Block, of unit: Int, _ reader: inout JPEGBitReader, _ scan: Scan,
    _ idle: inout Int
  ) -> Bool {
    let header = scan.header
    if scan.bringsAverages {
      guard Self.readDifference(block.dc, &reader) else { return false }
      return scan.isProgressive || Self.readAC(block.ac, &reader)
    }
    if header.first == 0 {
      reader.fill()
      reader.skip(1)
      return true
    }
    // Scans of AC coefficients have one component, so units are its blocks.
    let place = planes[block.component].start + unit
    if header.high > 0 { return Self.refineAC(block.ac, &reader, header, &filled[place], &idle) }
    if idle > 0 {
      idle -= 1
      return true
    }
    return Self.readBand(block.ac, &reader, header, &filled[place], &idle)
  }

  private static func readDifference(_ lookup: [UInt16], _ reader: inout JPEGBitReader) -> Bool {
    reader.fill()
    let entry = lookup.withUnsafeBufferPointer { reader.entry($0.baseAddress!) }
    guard entry != 0, entry & 0xFF <= 16 else { return false }
    _ = reader.take(Int(entry & 0xFF), after: Int(entry >> 8))
    return true
  }

  /// Returns a code of AC coefficients; nil when it is none.
  private static func code(
    _ lookup: [UInt16], _ reader: inout JPEGBitReader
  ) -> (run: Int, size: Int)? {
    reader.fill()
    let entry = lookup.withUnsafeBufferPointer { reader.entry($0.baseAddress!) }
    guard entry != 0 else { return nil }
    reader.skip(Int(entry >> 8))
    return (Int(entry >> 4 & 15), Int(entry & 15))
  }

  /// Reads AC coefficients (T.81, F.2.2.2). As in libjpeg coefficients may be larger than those of 8-bit pictures, and what is
  /// neither a coefficient nor 16 zeros ends the block.
  private static func readAC(_ lookup: [UInt16], _ reader: inout JPEGBitReader) -> Bool {
    var last = 0
    while last < 63 {
      guard let (run, size) = code(lookup, &reader) else { return false }
      guard size > 0 || run == 15 else { return true }
      last += run + 1
      reader.skip(size)
    }
    return last == 63
  }

  /// Reads the AC coefficients of a band (T.81, G.1.2.2).
  private static func readBand(
    _ lookup: [UInt16], _ reader: inout JPEGBitReader, _ header: JPEGScanHeader,
    _ filled: inout UInt64, _ idle: inout Int
  ) -> Bool {
    var next = header.first
    while next <= header.last {
      guard let (run, size) = code(lookup, &reader) else { return false }
      guard size > 0 || run == 15 else {
        // This many blocks, this one included, have no more in this band.
        idle = (1 << run) + reader.take(run) - 1
        return true
      }
      next += run
      guard next <= header.last else { return false }
      if size > 0 { filled |= 1 << UInt64(next) }
      reader.skip(size)
      next += 1
    }
    return true
  }

  /// Refines AC coefficients (T.81, G.1.2.3): each coefficient that is not zero takes one bit more, new ones get their first.
  private static func refineAC(
    _ lookup: [UInt16], _ reader: inout JPEGBitReader, _ header: JPEGScanHeader,
    _ filled: inout UInt64, _ idle: inout Int
  ) -> Bool {
    let old = filled
    var next = header.first
    while idle == 0, next <= header.last {
      guard let (run, size) = code(lookup, &reader), size <= 1 else { return false }
      if size == 0, run < 15 {
        idle = (1 << run) + reader.take(run)
        break
      }
      reader.skip(size)
      var zeros = run
      while next <= header.last, old >> UInt64(next) & 1 == 1 || zeros > 0 {
        if old >> UInt64(next) & 1 == 1 {
          reader.fill()
          reader.skip(1)
        } else {
          zeros -= 1
        }
        next += 1
      }
      guard next <= header.last else { return false }
      if size > 0 { filled |= 1 << UInt64(next) }
      next += 1
    }
    guard idle > 0 else { return true }
    idle -= 1
    while next <= header.last {
      if old >> UInt64(next) & 1 == 1 {
        reader.fill()
        reader.skip(1)
      }
      next += 1
    }
    return true
  }
}

extension JPEGCompleteness {
  /// Returns bytes that a decoder may take behind the last one, or leave there: zeros at the end
  /// are left out (T.81, D.1.8). That is 7 at most in blocks of real photos; what only refines them
  /// may be left out whole.
  private func tolerance(of scan: Scan, _ count: Int) -> Int { scan.bringsAverages ? 12 : count }

  private mutating func readArithmetic(
    _ units: Range<Int>, _ reader: inout JPEGBitReader, _ scan: Scan, _ conditioning: [Int: Int],
    tolerance: Int, _ done: inout Int
  ) -> Bool {
    var arithmetic = JPEGArithmeticReader(conditioning)
    // Sequential scans bring all of a block, whatever they say.
    let band = scan.isProgressive ? scan.header.first...scan.header.last : 1...63
    for unit in units {
      for block in scan.blocks {
        let dc = block.selectors >> 4
        let ac = block.selectors & 15
        var isRead = true
        if scan.bringsAverages {
          isRead = arithmetic.readDifference(of: block.component, table: dc, &reader)
          var ignored: UInt64 = 0
          isRead =
            isRead
            && (scan.isProgressive || arithmetic.readAC(band, table: ac, &reader, &ignored))
        } else if band.lowerBound == 0 {
          arithmetic.readBit(&reader)
        } else {
          let place = planes[block.component].start + unit
          isRead =
            scan.header.high == 0
            ? arithmetic.readAC(band, table: ac, &reader, &filled[place])
            : arithmetic.refineAC(band, table: ac, &reader, &filled[place])
        }
        guard isRead, !reader.isOverrun(by: tolerance) else { return false }
      }
      done += 1
    }
    return true
  }
}
