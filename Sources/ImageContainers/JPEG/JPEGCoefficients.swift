/// The coefficients of all blocks of a JPEG, read from its scans: progressive or sequential,
/// Huffman-coded, one scan or many.
///
/// Blocks that only fill up the units of a scan are not among them.
struct JPEGCoefficients {
  let frame: JPEGFrame
  let color: JPEGColorSegments
  private(set) var planes: [JPEGPlane]
  private(set) var blocks: JPEGBlocks

  /// How many blocks scans may go over, one counted for each scan: the largest picture has 26 times
  /// fewer. A scan can go over all of them with hardly a byte.
  private static let maxVisits = 1 << 28

  /// Nil when a decoder has to judge: data is damaged or arithmetic-coded, scans do not follow one
  /// another as T.81 wants, some bit of a coefficient stays unknown (libjpeg smooths such pictures),
  /// or one scan cannot hold all components.
  init?(_ bytes: [UInt8], limits: ContainerLimits) throws(ContainerError) {
    let segments = try JPEGSegments(bytes, limits: limits)
    frame = try JPEGFrame.follow(segments, of: bytes, limits: limits)
    color = JPEGColorSegments(bytes, segments)
    guard !frame.isArithmetic, !frame.lacksHuffmanTables, frame.isEvenlySampled else { return nil }
    planes = frame.planes
    let count = planes.reduce(0) { $0 + $1.count }
    // Every block has a code for its average: a small file that claims a large picture ends here,
    // before there is memory for it.
    guard planes.reduce(0, { $0 + $1.horizontal * $1.vertical }) <= 10, count <= 8 * bytes.count
    else { return nil }
    blocks = JPEGBlocks(count: count, isProgressive: frame.isProgressive, size: bytes.count)

    var tables = JPEGTables()
    var visits = 0
    for segment in segments.list {
      try tables.read(bytes, segment)
      guard segment.marker == JPEGMarker.sos else { continue }
      let scan = try JPEGScanHeader(bytes, segment, of: frame)
      for (index, _) in scan.components {
        visits += planes[index].count
      }
      guard visits <= Self.maxVisits, follow(scan, tables),
        let reader = JPEGScanReader(scan, planes, tables, frame: frame)
      else { return nil }
      var intervals = JPEGIntervals(
        bytes, in: segment.payload.upperBound..<segment.range.upperBound,
        units: frame.units(of: scan, planes).count, restartInterval: tables.restartInterval)
      let isRead = intervals.read { units, bits in
        reader.read(units, &bits, of: bytes.span.bytes, into: &blocks)
      }
      guard isRead, intervals.surplus == 0 else { return nil }
    }
    guard planes.areComplete else { return nil }
  }

  /// Minimum coded units across and down when all components are in one scan.
  var columns: Int { planes.reduce(1) { max($0, ($1.across + $1.horizontal - 1) / $1.horizontal) } }
  var rows: Int { planes.reduce(1) { max($0, ($1.down + $1.vertical - 1) / $1.vertical) } }

  /// For each component a bit for each coefficient that is not zero in some block.
  var used: [UInt64] {
    planes.map { plane in
      let range = plane.start..<plane.start + plane.count
      let hasAverages = blocks.averages[range].contains { $0 != 0 }
      return blocks.filled[range].reduce(hasAverages ? 1 : 0, |)
    }
  }

  /// Takes note of what a scan brings; false when it is out of order (T.81, G.1.1.1).
  private mutating func follow(_ scan: JPEGScanHeader, _ tables: JPEGTables) -> Bool {
    let band = frame.isProgressive ? scan.first...scan.last : 0...63
    for (index, _) in scan.components {
      planes[index].quantization =
        planes[index].quantization
        ?? tables.quantization[Int(frame.components[index].quantization)]
      // What one scan brought only refinements bring again.
      guard planes[index].quantization != nil,
        band.lowerBound == 0 || planes[index].known[0] != nil,
        frame.isProgressive && scan.high > 0 || band.allSatisfy({ planes[index].known[$0] == nil })
      else { return false }
    }
    return planes.follow(scan, of: frame)
  }
}
