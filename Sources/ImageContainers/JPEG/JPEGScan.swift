/// The one scan of an ordinary JPEG: baseline or extended sequential, Huffman-coded, with all
/// components in it. Cameras and phones write hardly anything else.
///
/// For work on coefficients that needs no pixels. What is not ordinary is left to a decoder.
struct JPEGScan {
  /// A component as the scan has it.
  struct Component {
    /// Blocks of 8 × 8 samples in one minimum coded unit, across and down.
    let horizontal, vertical: Int
    /// What a step of DC is worth: the first value of the quantization table.
    let quantizationOfDC: Int
    let dc, ac: JPEGHuffmanTable
    /// Their numbers: dc << 4 | ac.
    let selectors: UInt8
  }

  let frame: JPEGFrame
  let segments: JPEGSegments
  let components: [Component]
  /// Pixels along the sides of a minimum coded unit.
  let unitWidth, unitHeight: Int
  /// Minimum coded units between restart markers; 0 without.
  let restartInterval: Int
  /// Where the entropy-coded data lies in the file.
  let data: Range<Int>

  /// Minimum coded units across and down.
  var columns: Int { (frame.width + unitWidth - 1) / unitWidth }
  var rows: Int { (frame.height + unitHeight - 1) / unitHeight }

  /// A block of a unit.
  struct Block {
    /// Which component's, and its place among that component's blocks of the unit.
    let component, column, row: Int
    /// Where the lookups of its tables start in `lookups`.
    let dc, ac: Int
  }

  /// The blocks of a unit as they follow one another in the data (T.81, A.2.3), at most 10.
  private(set) var blocks: [Block] = []
  /// What `JPEGHuffmanTable.lookup` has, of all tables.
  private(set) var lookups: [UInt16] = []

  /// Reads all but the entropy-coded data; nil when the JPEG is not ordinary.
  init?(_ bytes: [UInt8], limits: ContainerLimits) throws(ContainerError) {
    segments = try JPEGSegments(bytes, limits: limits)
    frame = try JPEGFrame.follow(segments, of: bytes, limits: limits)
    let scans = segments.list.filter { $0.marker == JPEGMarker.sos }
    guard !frame.isArithmetic, !frame.isProgressive, !frame.lacksHuffmanTables, scans.count == 1
    else { return nil }
    var tables = JPEGTables()
    for segment in segments.list.prefix(while: { $0.marker != JPEGMarker.sos }) {
      try tables.read(bytes, segment)
    }
    restartInterval = tables.restartInterval
    data = scans[0].payload.upperBound..<scans[0].range.upperBound

    var reader = ByteReader(bytes, in: scans[0].payload)
    guard try reader.u8("jpeg-scan") == frame.components.count else { return nil }
    // A component alone is not interleaved: its units are single blocks (T.81, A.2.2).
    let isAlone = frame.components.count == 1
    var components: [Component] = []
    for component in frame.components {
      guard try reader.u8("jpeg-scan") == component.id else { return nil }
      let selectors = try reader.u8("jpeg-scan")
      guard let quantization = tables.quantizationOfDC[Int(component.quantization)],
        let dc = tables.huffman[selectors >> 4].flatMap(JPEGHuffmanTable.init),
        let ac = tables.huffman[selectors & 15 | 0x10].flatMap(JPEGHuffmanTable.init)
      else { return nil }
      components.append(
        Component(
          horizontal: isAlone ? 1 : Int(component.horizontal),
          vertical: isAlone ? 1 : Int(component.vertical),
          quantizationOfDC: quantization, dc: dc, ac: ac, selectors: UInt8(selectors)))
    }
    self.components = components
    unitWidth = components.reduce(8) { max($0, 8 * $1.horizontal) }
    unitHeight = components.reduce(8) { max($0, 8 * $1.vertical) }
    for (index, component) in components.enumerated() {
      let dc = lookups.count
      let ac = dc + component.dc.lookup.count
      lookups += component.dc.lookup + component.ac.lookup
      for row in 0..<component.vertical {
        for column in 0..<component.horizontal {
          blocks.append(Block(component: index, column: column, row: row, dc: dc, ac: ac))
        }
      }
    }
    guard blocks.count <= 10 else { return nil }  // T.81, B.2.3
  }
}
