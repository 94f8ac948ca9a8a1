/// Checks that the codes of a JPEG yield every block of each of its scans (T.81, F.2 and G.2). It reads them as a
/// decoder does, but keeps no coefficient.
struct JPEGCompleteness {
  private let frame: JPEGFrame
  private var planes: [JPEGPlane]
  private var blocks: JPEGBlocks
  /// The scans with bytes left over after their codes, and the data of each without those bytes.
  private var surplus: [(range: Range<Int>, data: [UInt8])] = []

  /// The number of bytes that may be left over after the last code of a restart interval or scan (decision 73).
  private static let mostSurplus = 32

  /// Reads all scans.
  ///
  /// - Returns: the position where the data of the last scan ends, and the scans with bytes left over, each with its
  ///   data without those bytes.
  /// - Throws: `incomplete` if a code is missing, invalid or leads outside of its block, if a restart marker doesn't
  ///   have the next number, or if a scan refines a coefficient that no earlier scan contains. `malformed` if every
  ///   block is present but more than a few bytes are left over.
  static func check(
    _ bytes: [UInt8], _ segments: JPEGSegments, _ frame: JPEGFrame
  ) throws(ContainerError) -> (end: Int, surplus: [(range: Range<Int>, data: [UInt8])]) {
    let count = frame.planes.reduce(0) { $0 + $1.count }
    guard !frame.isProgressive || count < 8 * bytes.count else {
      throw .incomplete("jpeg-data", percentShown: nil)
    }
    var reading = JPEGCompleteness(frame, blockCount: count)
    var tables = JPEGTables()
    var end = segments.end
    let last = segments.list.lastIndex { $0.marker == JPEGMarker.sos }
    for (index, segment) in segments.list.enumerated() {
      try tables.parseSegment(bytes, segment)
      guard segment.marker == JPEGMarker.sos else { continue }
      end = try reading.readScan(
        JPEGScanHeader(bytes, segment, of: frame), tables, of: bytes,
        in: segment.payload.upperBound..<segment.range.upperBound,
        isCut: !segments.hasEOI && index == last)
    }
    // Without EOI, scans with the remaining bits may be cut off.
    guard segments.hasEOI || reading.planes.areComplete else {
      throw .incomplete("jpeg-scans", percentShown: nil)
    }
    return (end, reading.surplus)
  }

  private init(_ frame: JPEGFrame, blockCount: Int) {
    self.frame = frame
    planes = frame.planes
    blocks = JPEGBlocks(count: blockCount, isProgressive: frame.isProgressive, size: nil)
  }

  private mutating func readScan(
    _ scan: JPEGScanHeader, _ tables: JPEGTables, of bytes: [UInt8], in range: Range<Int>,
    isCut: Bool
  ) throws(ContainerError) -> Int {
    guard planes.follow(scan, of: frame) else { throw .incomplete("jpeg-scans", percentShown: nil) }
    let (columns, units) = frame.units(of: scan, planes)
    var intervals = JPEGIntervals(
      bytes, in: range, units: units, restartInterval: tables.restartInterval)
    // A block can't be shown without its DC coefficient. All other scans only make it sharper.
    let bringsAverages = !frame.isProgressive || scan.first == 0 && scan.high == 0
    let isRead: Bool
    if frame.isArithmetic {
      // Zeros at the end may be omitted (T.81, D.1.8). In blocks of real photos that is at most 7 bytes. Data that only
      // refines blocks may be omitted as a whole.
      let tolerance = bringsAverages ? 12 : bytes.count
      isRead = intervals.readIntervals(isCut: isCut, tolerance: tolerance) { units, bits in
        var reader = JPEGArithmeticReader(bytes, tables.conditioning)
        return units.prefix { unit in
          readUnit(unit, scan, bringsAverages, &reader, &bits) && !bits.isOverrun(by: tolerance)
        }.count
      }
    } else {
      let reader = JPEGScanReader(scan, planes, tables, frame: frame, isLenient: true)
      isRead = intervals.readIntervals(isCut: isCut) { units, bits in
        reader?.readScan(units, &bits, of: bytes.span.bytes, into: &blocks) ?? 0
      }
    }
    guard isRead, let last = intervals.codes.last else {
      // A decoder continues at the next restart marker, so only the last interval leaves the rest of the picture
      // missing.
      let done = intervals.unitsRead
      let isLower = bringsAverages && done < units && intervals.isLast
      throw .incomplete(
        "jpeg-data", percentShown: isLower ? done / columns * 100 / (units / columns) : nil)
    }
    guard isCut || intervals.surplus <= Self.mostSurplus else {
      throw .malformed("jpeg-surplus", offset: range.upperBound)
    }
    if !isCut, intervals.surplus > 0 { surplus.append((range, intervals.withoutSurplus)) }
    return last.upperBound
  }

  /// Reads the blocks of an arithmetic-coded unit. Returns `false` if their codes are invalid.
  private mutating func readUnit(
    _ unit: Int, _ scan: JPEGScanHeader, _ bringsAverages: Bool,
    _ reader: inout JPEGArithmeticReader, _ bits: inout JPEGBits
  ) -> Bool {
    // A sequential scan contains all coefficients of a block, whatever band is in its header.
    let band = frame.isProgressive ? scan.first...scan.last : 1...63
    for (component, selectors) in scan.components {
      let plane = planes[component]
      for _ in 0..<(scan.isInterleaved ? plane.horizontal * plane.vertical : 1) {
        let isRead: Bool
        if bringsAverages {
          var ignored: UInt64 = 0
          isRead =
            reader.readDifference(of: component, table: selectors >> 4, &bits)
            && (frame.isProgressive
              || reader.readAC(band, table: selectors & 15, &bits, &ignored))
        } else if band.lowerBound == 0 {
          reader.readBit(&bits)
          isRead = true
        } else if scan.high == 0 {
          // Scans of AC coefficients have one component, so units are its blocks.
          isRead = reader.readAC(
            band, table: selectors & 15, &bits, &blocks.filled[plane.start + unit])
        } else {
          isRead = reader.refineAC(
            band, table: selectors & 15, &bits, &blocks.filled[plane.start + unit])
        }
        guard isRead else { return false }
      }
    }
    return true
  }
}
