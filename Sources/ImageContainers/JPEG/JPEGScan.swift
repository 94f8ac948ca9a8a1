/// The one scan of an ordinary JPEG: baseline or extended sequential, Huffman-coded, with all
/// components in it. Cameras and phones write hardly anything else.
///
/// For work on coefficients that needs no pixels. What is not ordinary is left to a decoder.
struct JPEGScan {
  struct Component {
    /// Blocks of 8 × 8 samples in one minimum coded unit, across and down.
    let horizontal, vertical: Int
    /// What a step of each coefficient is worth, in zigzag order.
    let quantization: [UInt16]
    let dc, ac: JPEGHuffmanTable
    /// Their numbers: dc << 4 | ac.
    let selectors: UInt8
  }

  let frame: JPEGFrame
  let segments: JPEGSegments
  let color: JPEGColorSegments
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

  struct Block {
    let component: Int
    /// Where the lookups of its tables start in `lookups`.
    let dc, ac: Int
  }

  /// The blocks of a unit as they follow one another in the data (T.81, A.2.3), at most 10.
  private(set) var blocks: [Block] = []
  /// What `JPEGHuffmanTable.lookup` has, of all tables.
  private(set) var lookups: [UInt16] = []
  /// Where each table's lookup starts in `lookups`, by class << 4 | number.
  private var places: [UInt8: Int] = [:]

  /// Reads all but the entropy-coded data; nil when the JPEG is not ordinary.
  init?(_ bytes: [UInt8], limits: ContainerLimits) throws(ContainerError) {
    let segments = try JPEGSegments(bytes, limits: limits)
    let frame = try JPEGFrame.follow(segments, of: bytes, limits: limits)
    try self.init(bytes, segments, frame)
  }

  init?(
    _ bytes: [UInt8], _ segments: JPEGSegments, _ frame: JPEGFrame
  ) throws(ContainerError) {
    self.segments = segments
    self.frame = frame
    let scans = segments.list.filter { $0.marker == JPEGMarker.sos }
    guard !frame.isArithmetic, !frame.isProgressive, !frame.lacksHuffmanTables,
      frame.isEvenlySampled, scans.count == 1
    else { return nil }
    color = JPEGColorSegments(bytes, segments)
    var tables = JPEGTables()
    for segment in segments.list.prefix(while: { $0.marker != JPEGMarker.sos }) {
      try tables.read(bytes, segment)
    }
    restartInterval = tables.restartInterval
    data = scans[0].payload.upperBound..<scans[0].range.upperBound

    let header = try JPEGScanHeader(bytes, scans[0], of: frame)
    guard header.components.map(\.index) == Array(frame.components.indices) else { return nil }
    // A component alone is not interleaved: its units are single blocks (T.81, A.2.2).
    let isAlone = frame.components.count == 1
    unitWidth = isAlone ? 8 : frame.components.reduce(8) { max($0, 8 * Int($1.horizontal)) }
    unitHeight = isAlone ? 8 : frame.components.reduce(8) { max($0, 8 * Int($1.vertical)) }
    var components: [Component] = []
    for (component, (_, selectors)) in zip(frame.components, header.components) {
      guard let quantization = tables.quantization[Int(component.quantization)],
        let dc = tables.huffman[selectors >> 4].flatMap(JPEGHuffmanTable.init),
        let ac = tables.huffman[selectors & 15 | 0x10].flatMap(JPEGHuffmanTable.init)
      else { return nil }
      let horizontal = isAlone ? 1 : Int(component.horizontal)
      let vertical = isAlone ? 1 : Int(component.vertical)
      components.append(
        Component(
          horizontal: horizontal, vertical: vertical, quantization: quantization, dc: dc, ac: ac,
          selectors: UInt8(selectors)))
    }
    self.components = components
    for (index, component) in components.enumerated() {
      let dc = place(of: component.dc, UInt8(component.selectors >> 4))
      let ac = place(of: component.ac, UInt8(component.selectors & 15 | 0x10))
      blocks += repeatElement(
        Block(component: index, dc: dc, ac: ac), count: component.horizontal * component.vertical)
    }
    guard blocks.count <= 10 else { return nil }  // T.81, B.2.3
  }

  /// Returns what stands before the data.
  ///
  /// - Parameter finished: the components with other tables; nil for those of the file.
  func head(_ finished: [Component]? = nil) -> [UInt8] {
    let heads = (finished ?? components).enumerated().map { index, component in
      JPEGHead.Component(
        id: frame.components[index].id, horizontal: component.horizontal,
        vertical: component.vertical, quantization: component.quantization,
        dc: component.dc, ac: component.ac, selectors: component.selectors)
    }
    return JPEGHead(
      width: frame.width, height: frame.height, color: color, components: heads,
      restartInterval: restartInterval < columns * rows ? restartInterval : 0
    ).bytes
  }

  /// Returns where a table's lookup starts in `lookups`: components may share one.
  private mutating func place(of table: JPEGHuffmanTable, _ number: UInt8) -> Int {
    if let place = places[number] { return place }
    let place = lookups.count
    lookups += table.lookup
    places[number] = place
    return place
  }
}
