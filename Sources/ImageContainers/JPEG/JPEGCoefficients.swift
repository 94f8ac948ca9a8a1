/// The coefficients of all blocks of a Huffman-coded JPEG, read from one scan or many, progressive or sequential.
///
/// Blocks that only pad the units of a scan are not included.
struct JPEGCoefficients {
  let frame: JPEGFrame
  let color: JPEGColorSegments
  private(set) var planes: [JPEGPlane]
  private(set) var blocks: JPEGBlocks

  /// The maximum number of blocks that all scans together may visit. A block counts once for each scan. The largest
  /// picture has 26 times fewer blocks. The limit is needed because a scan can visit all blocks with hardly a byte.
  private static let maxVisits = 1 << 28

  /// Returns `nil` if only a decoder can judge the picture: data is damaged or arithmetic-coded, scans aren't in an
  /// order that T.81 allows, some bit of a coefficient stays unknown (libjpeg smooths such pictures), or one scan
  /// cannot hold all components.
  init?(_ bytes: [UInt8], limits: ContainerLimits) throws(ContainerError) {
    let segments = try JPEGSegments(bytes, limits: limits)
    frame = try JPEGFrame.follow(segments, of: bytes, limits: limits)
    color = JPEGColorSegments(bytes, segments)
    guard !frame.isArithmetic, !frame.lacksHuffmanTables, frame.isEvenlySampled else { return nil }
    planes = frame.planes
    let count = planes.reduce(0) { $0 + $1.count }
    // Every block has a code for its DC coefficient. So a small file that claims to be a large picture is refused here,
    // before memory is allocated for it.
    guard planes.reduce(0, { $0 + $1.horizontal * $1.vertical }) <= 10, count <= 8 * bytes.count
    else { return nil }
    blocks = JPEGBlocks(count: count, isProgressive: frame.isProgressive, size: bytes.count)

    var tables = JPEGTables()
    var visits = 0
    for segment in segments.list {
      try tables.parseSegment(bytes, segment)
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
      let isRead = intervals.readIntervals { units, bits in
        reader.readScan(units, &bits, of: bytes.span.bytes, into: &blocks)
      }
      guard isRead, intervals.surplus == 0 else { return nil }
    }
    guard planes.areComplete else { return nil }
  }

  /// The numbers of minimum coded units across and down if all components are in one scan.
  var columns: Int { planes.reduce(1) { max($0, ($1.across + $1.horizontal - 1) / $1.horizontal) } }
  var rows: Int { planes.reduce(1) { max($0, ($1.down + $1.vertical - 1) / $1.vertical) } }

  /// A bit for each coefficient of each component that is not zero in at least one block.
  var used: [UInt64] {
    planes.map { plane in
      let range = plane.start..<plane.start + plane.count
      let hasAverages = blocks.dcAverages[range].contains { $0 != 0 }
      return blocks.filled[range].reduce(hasAverages ? 1 : 0, |)
    }
  }

  /// Records the bits that a scan contains. Returns `false` if the scan is out of order (T.81, G.1.1.1).
  private mutating func follow(_ scan: JPEGScanHeader, _ tables: JPEGTables) -> Bool {
    let band = frame.isProgressive ? scan.first...scan.last : 0...63
    for (index, _) in scan.components {
      planes[index].quantization =
        planes[index].quantization
        ?? tables.quantization[Int(frame.components[index].quantization)]
      // Only refinements may contain coefficients of earlier scans.
      guard planes[index].quantization != nil,
        band.lowerBound == 0 || planes[index].known[0] != nil,
        frame.isProgressive && scan.high > 0 || band.allSatisfy({ planes[index].known[$0] == nil })
      else { return false }
    }
    return planes.follow(scan, of: frame)
  }
}
