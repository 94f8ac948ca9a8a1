/// The segments of a JPEG before its data, in the only order and form that a product has.
///
/// The order is SOI, JFIF or Adobe or neither, DQT, SOF, DHT, DRI, SOS. Each table has a segment of its own. Tables are
/// numbered in the order in which the components refer to them, so the header contains only what the picture needs.
struct JPEGProofHeader {
  struct Component {
    /// The number of 8 × 8 blocks in a minimum coded unit, across and down.
    let horizontal, vertical: Int
    /// The index of its table in `quantization`.
    let quantization: Int
    /// The indexes of its tables in `huffman`.
    fileprivate(set) var dc = 0
    fileprivate(set) var ac = 0
    /// The number of blocks across and down that have a visible sample. Later blocks only fill the last units.
    fileprivate(set) var shownAcross = 0
    fileprivate(set) var shownDown = 0
  }

  private(set) var quantization: [JPEGProofQuantization] = []
  private(set) var huffman: [JPEGProofHuffman] = []
  private(set) var width = 0
  private(set) var height = 0
  private(set) var components: [Component] = []
  /// `true` if the components are luma and two of chroma, or luma alone. `false` if they are red, green and blue.
  private(set) var isYCbCr = true
  /// The number of minimum coded units across and down.
  private(set) var columns = 0
  private(set) var rows = 0
  /// The number of minimum coded units between restart markers, or all units if the file has no restart markers.
  private(set) var interval = 0
  /// The offset of the entropy-coded data.
  private(set) var dataStart = 0

  private var ids: [Int] = []
  private var hasColorSegment = false

  init(_ bytes: [UInt8]) throws(ProofError) {
    var cursor = JPEGProofCursor(bytes)
    try cursor.expect([0xFF, 0xD8], "jpeg-soi")
    let adobe = try readColor(&cursor)
    while try cursor.marker() == 0xDB {
      quantization.append(try JPEGProofQuantization(&cursor, number: quantization.count))
    }
    let frame = cursor.offset
    let isExtended = try readFrame(&cursor)
    guard adobe == nil || components.count == 3 else {
      throw ProofError("jpeg-adobe-gray", offset: 2)
    }
    isYCbCr = adobe.map { $0 != 0 } ?? (hasColorSegment || ids != Array("RGB".utf8).map(Int.init))
    while try cursor.marker() == 0xC4 { huffman.append(try JPEGProofHuffman(&cursor)) }
    try readInterval(&cursor)
    try readScan(&cursor)
    // Baseline allows neither 16-bit tables nor more than two Huffman tables of a class (T.81, table B.1).
    let needsExtended =
      quantization.contains { $0.isWide } || huffman.contains { $0.number > 1 }
    guard isExtended == needsExtended else { throw ProofError("jpeg-frame", offset: frame) }
    dataStart = cursor.offset
  }

  /// Reads the segment that defines the color space, if there is one.
  ///
  /// Only two forms are allowed: JFIF 1.1 with square pixels (JFIF 1.02, page 5), and Adobe's version 100 (Technical
  /// Note 5116, section 18).
  ///
  /// - Returns: Adobe's transform, 0 or 1, or `nil` without an Adobe segment.
  private mutating func readColor(_ cursor: inout JPEGProofCursor) throws(ProofError) -> Int? {
    switch try cursor.marker() {
    case 0xE0:
      try cursor.expect(
        [0xFF, 0xE0, 0, 16] + Array("JFIF".utf8) + [0, 1, 1, 0, 0, 1, 0, 1, 0, 0], "jpeg-jfif")
      hasColorSegment = true
      return nil
    case 0xEE:
      try cursor.expect(
        [0xFF, 0xEE, 0, 14] + Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0], "jpeg-adobe")
      let transform = try cursor.byte()
      guard transform <= 1 else { throw ProofError("jpeg-adobe", offset: cursor.offset - 1) }
      hasColorSegment = true
      return transform
    default: return nil
    }
  }

  /// Reads the frame header (T.81, B.2.2).
  ///
  /// - Returns: `true` if it is SOF1 (extended), `false` if it is SOF0 (baseline).
  private mutating func readFrame(_ cursor: inout JPEGProofCursor) throws(ProofError) -> Bool {
    let failure = ProofError("jpeg-frame", offset: cursor.offset)
    let marker = try cursor.marker()
    guard marker == 0xC0 || marker == 0xC1 else {
      throw ProofError("jpeg-marker", offset: cursor.offset)
    }
    try cursor.expect([0xFF, marker], "jpeg-frame")
    let length = try cursor.number()
    guard try cursor.byte() == 8 else { throw failure }
    height = try cursor.number()
    width = try cursor.number()
    let count = try cursor.byte()
    guard width > 0, height > 0, count == 1 || count == 3, length == 8 + 3 * count else {
      throw failure
    }
    var tables = 0
    for _ in 0..<count {
      ids.append(try cursor.byte())
      let sampling = try cursor.byte()
      let table = try cursor.byte()
      guard (1...4).contains(sampling >> 4), (1...4).contains(sampling & 15), table <= tables
      else { throw failure }
      tables = max(tables, table + 1)
      components.append(
        Component(horizontal: sampling >> 4, vertical: sampling & 15, quantization: table))
    }
    guard tables == quantization.count else {
      throw ProofError("jpeg-unused-quantization", offset: failure.offset)
    }
    guard ids == Array(1...count) || ids == Array("RGB".utf8).map(Int.init) else { throw failure }
    try measure(failure)
    return marker == 0xC1
  }

  /// Computes the numbers of blocks and units from the size and the sampling factors, which it checks.
  private mutating func measure(_ failure: ProofError) throws(ProofError) {
    let across = components.reduce(1) { max($0, $1.horizontal) }
    let down = components.reduce(1) { max($0, $1.vertical) }
    // A single component isn't interleaved, so its sampling factors have no effect (T.81, A.2.2). Only 1 is allowed.
    guard components.count == 3 || across == 1 && down == 1 else { throw failure }
    // A unit has at most ten blocks (T.81, B.2.3).
    guard components.reduce(0, { $0 + $1.horizontal * $1.vertical }) <= 10 else { throw failure }
    func blocks(_ size: Int, _ share: Int, of all: Int) -> Int {
      ((size * share + all - 1) / all + 7) / 8
    }
    for index in components.indices {
      let component = components[index]
      // libjpeg only decodes sampling factors that divide the largest one.
      guard across % component.horizontal == 0, down % component.vertical == 0 else {
        throw failure
      }
      components[index].shownAcross = blocks(width, component.horizontal, of: across)
      components[index].shownDown = blocks(height, component.vertical, of: down)
    }
    columns = (width + 8 * across - 1) / (8 * across)
    rows = (height + 8 * down - 1) / (8 * down)
    interval = columns * rows
  }

  /// Reads the restart interval, if there is one. It must be shorter than the data (T.81, B.2.4.4).
  private mutating func readInterval(_ cursor: inout JPEGProofCursor) throws(ProofError) {
    guard try cursor.marker() == 0xDD else { return }
    try cursor.expect([0xFF, 0xDD, 0, 4], "jpeg-restart")
    let number = try cursor.number()
    guard number > 0, number < interval else {
      throw ProofError("jpeg-restart", offset: cursor.offset - 2)
    }
    interval = number
  }

  /// Reads the scan header (T.81, B.2.3), and checks that the Huffman tables are those that it refers to, in the same
  /// order.
  private mutating func readScan(_ cursor: inout JPEGProofCursor) throws(ProofError) {
    guard try cursor.marker() == 0xDA else {
      throw ProofError("jpeg-marker", offset: cursor.offset)
    }
    let count = UInt8(components.count)
    try cursor.expect([0xFF, 0xDA, 0, 6 + 2 * count, count], "jpeg-scan")
    var heads: [Int] = []
    var next = [0, 0]
    for index in components.indices {
      try cursor.expect([UInt8(ids[index])], "jpeg-scan")
      let selectors = try cursor.byte()
      let failure = ProofError("jpeg-scan", offset: cursor.offset - 1)
      for (kind, number) in [selectors >> 4, selectors & 15].enumerated() {
        guard number <= next[kind], number < 4 else { throw failure }
        if number == next[kind] {
          heads.append(kind << 4 | number)
          next[kind] += 1
        }
        let place = heads.firstIndex(of: kind << 4 | number) ?? 0
        if kind == 0 { components[index].dc = place } else { components[index].ac = place }
      }
    }
    guard huffman.map(\.head) == heads else {
      throw ProofError("jpeg-unused-huffman", offset: huffman.first?.offset ?? cursor.offset)
    }
    try cursor.expect([0, 63, 0], "jpeg-scan")
  }
}
