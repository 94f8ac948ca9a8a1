/// The only scan of an ordinary JPEG: baseline or extended sequential, Huffman-coded, with all components. Cameras and
/// phones write hardly any other JPEGs.
///
/// Used to work on coefficients without pixels. Pictures that aren't ordinary are left to a decoder.
struct JPEGScan {
  struct Component {
    /// The number of blocks of 8 × 8 samples in a minimum coded unit, across and down.
    let horizontal, vertical: Int
    /// The quantization step of each coefficient, in zigzag order.
    let quantization: [UInt16]
    let dc, ac: JPEGHuffmanTable
    /// The numbers of the tables: dc << 4 | ac.
    let selectors: UInt8
  }

  let frame: JPEGFrame
  let segments: JPEGSegments
  let color: JPEGColorSegments
  let components: [Component]
  /// The size of a minimum coded unit in pixels.
  let unitWidth, unitHeight: Int
  /// The number of minimum coded units between restart markers, or 0 without restart markers.
  let restartInterval: Int
  /// The range of the entropy-coded data in the file.
  let data: Range<Int>

  /// The numbers of minimum coded units across and down.
  var columns: Int { (frame.width + unitWidth - 1) / unitWidth }
  var rows: Int { (frame.height + unitHeight - 1) / unitHeight }

  struct Block {
    let component: Int
    /// The indices in `lookups` at which the lookups of the block's tables start.
    let dc, ac: Int
  }

  /// The blocks of a unit in the order of the data (T.81, A.2.3). A unit has at most 10.
  private(set) var blocks: [Block] = []
  /// `JPEGHuffmanTable.lookup` of all tables, one after another.
  private(set) var lookups: [UInt16] = []
  /// The index in `lookups` of each table's lookup, by class << 4 | number.
  private var places: [UInt8: Int] = [:]

  /// Reads everything except the entropy-coded data. Returns `nil` if the JPEG is not ordinary.
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
      try tables.parseSegment(bytes, segment)
    }
    restartInterval = tables.restartInterval
    data = scans[0].payload.upperBound..<scans[0].range.upperBound

    let header = try JPEGScanHeader(bytes, scans[0], of: frame)
    guard header.components.map(\.index) == Array(frame.components.indices) else { return nil }
    // The only component of a frame is not interleaved, so its units are single blocks (T.81, A.2.2).
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

  /// Returns the bytes before the entropy-coded data.
  ///
  /// - Parameter finished: the components with other tables, or `nil` to use the tables of the file.
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

  /// Returns the index in `lookups` of a table's lookup, which components may share.
  private mutating func place(of table: JPEGHuffmanTable, _ number: UInt8) -> Int {
    if let place = places[number] { return place }
    let place = lookups.count
    lookups += table.lookup
    places[number] = place
    return place
  }
}
