/// Verifies each byte of a VP8 key frame (RFC 6386). It reads the header, the modes of all macroblocks and every token.
/// Each partition must end after its last bool. Each value of the header must be used by a macroblock, or have its
/// default.
///
/// Not checked: five small differences of quantizers, and an encoder's choice among equivalent codes.
struct VP8Proof {
  private let bytes: UnsafeBufferPointer<UInt8>
  private let payload: Range<Int>
  private let width, height: Int
  private var columns: Int { (width + 15) / 16 }
  private var rows: Int { (height + 15) / 16 }

  private var segments = VP8ProofSegments()
  private var filter = VP8ProofFilter()
  private var baseQuantizer = 0
  private var partitionCount = 1
  private var skipProbability: UInt8?
  private var tokens = VP8ProofTokens()
  /// The differences of the quantizer for luma DC, for DC and AC of the block of DCs, and for chroma DC and AC.
  private var deltas = [0, 0, 0, 0, 0]
  private var macroblocks: [VP8ProofTokens.Macroblock] = []

  /// Returns the size in pixels and, for each macroblock, the number of blocks with coefficients.
  static func verify(
    _ bytes: [UInt8], in payload: Range<Int>
  ) throws(ProofError) -> (width: Int, height: Int, filled: [UInt8]) {
    // A bool decoder reads millions of bools per second, so it uses pointers without bounds checks.
    try bytes.withUnsafeBufferPointer { buffer throws(ProofError) in
      var proof = try VP8Proof(buffer, payload)
      try proof.readFrame()
      return (proof.width, proof.height, proof.tokens.filled)
    }
  }

  private init(
    _ bytes: UnsafeBufferPointer<UInt8>, _ payload: Range<Int>
  ) throws(ProofError) {
    self.bytes = bytes
    self.payload = payload
    let start = payload.lowerBound
    guard payload.count > 10 else { throw ProofError("webp-vp8-cut", offset: start) }
    // A visible key frame of version 0.
    guard bytes[start] & 0x1F == 0x10 else { throw ProofError("webp-vp8-frame", offset: start) }
    guard bytes[start + 3] == 0x9D, bytes[start + 4] == 0x01, bytes[start + 5] == 0x2A else {
      throw ProofError("webp-vp8-start-code", offset: start + 3)
    }
    width = Int(bytes[start + 6]) | Int(bytes[start + 7]) << 8
    height = Int(bytes[start + 8]) | Int(bytes[start + 9]) << 8
    // The upper two bits request scaling, which decoders ignore.
    guard 1...0x3FFF ~= width, 1...0x3FFF ~= height else {
      throw ProofError("webp-vp8-size", offset: start + 6)
    }
  }

  /// The number of bytes that must follow the header in the first partition. libwebp's incremental decoder, which
  /// browsers use, reads up to seven bytes ahead and rejects a picture if it reaches the partition's end with the
  /// header.
  private static let bytesBehindHeader = 8

  private mutating func readFrame() throws(ProofError) {
    let start = payload.lowerBound
    let size = Int(bytes[start]) >> 5 | Int(bytes[start + 1]) << 3 | Int(bytes[start + 2]) << 11
    let end = start + 10 + size
    guard size > 0, end < payload.upperBound else {
      throw ProofError("webp-vp8-cut", offset: payload.upperBound)
    }
    var header = VP8ProofReader(bytes, in: start + 10..<end)
    try readHeader(&header)
    let least = header.lookedAtBytes + Self.bytesBehindHeader
    try readModes(&header)
    try header.checkEnd(least: least)
    try checkHeader()
    try readTokens(in: end..<payload.upperBound)
    try tokens.checkProbabilities(offset: start + 10)
  }

  /// Reads the frame header (RFC 6386, 9.3 to 9.11 and 19.2).
  private mutating func readHeader(_ reader: inout VP8ProofReader) throws(ProofError) {
    // Color space and clamping. Picture decoders only support one value of each.
    guard reader.number(2) == 0 else { throw failure("color") }
    segments.parse(&reader)
    filter.parse(&reader)
    partitionCount = 1 << reader.number(2)
    baseQuantizer = reader.number(7)
    for index in 0..<5 where reader.flag() {
      deltas[index] = reader.signed(4)
      guard deltas[index] != 0 else { throw failure("quantizer") }
    }
    // This flag keeps probabilities for later frames, so it has no meaning in a single one.
    guard !reader.flag() else { throw failure("refresh") }
    tokens.readProbabilities(&reader)
    skipProbability = reader.flag() ? UInt8(reader.number(8)) : nil
  }

  /// Reads the modes of all macroblocks (RFC 6386, 11.2 to 11.5).
  private mutating func readModes(_ reader: inout VP8ProofReader) throws(ProofError) {
    macroblocks.reserveCapacity(columns * rows)
    var above = [UInt8](repeating: 0, count: columns * 4)
    var left: [UInt8] = [0, 0, 0, 0]
    let table = VP8Tables.blockModes
    for _ in 0..<rows {
      for index in 0..<4 { left[index] = 0 }
      for column in 0..<columns {
        let segment = segments.readSegment(&reader)
        let isSkipped = skipProbability.map { reader.bool($0) } ?? false
        let isSplit = !reader.bool(145)
        var modes = VP8ProofPixels.Modes(luma: 0, chroma: 0)
        if isSplit {
          for y in 0..<4 {
            for x in 0..<4 {
              let mode = Self.blockMode(
                &reader, above: above[column * 4 + x], left: left[y], table)
              above[column * 4 + x] = mode
              left[y] = mode
              modes.blocks[4 * y + x] = mode
            }
          }
        } else {
          // DC 0, TM 1, vertical 2, horizontal 3, like the modes of a block.
          let mode: UInt8 =
            reader.bool(156) ? (reader.bool(128) ? 1 : 3) : (reader.bool(163) ? 2 : 0)
          for index in 0..<4 {
            above[column * 4 + index] = mode
            left[index] = mode
          }
          modes.luma = mode
        }
        if reader.bool(142) { modes.chroma = reader.bool(114) ? (reader.bool(183) ? 1 : 3) : 2 }
        macroblocks.append(
          .init(
            isSplit: isSplit, isSkipped: isSkipped, segment: UInt8(segment), modes: modes))
      }
      guard !reader.isOverrun else { throw failure("modes") }
    }
  }

  /// Reads the mode of a block by the tree of RFC 6386, 11.2. The modes are in the order of `VP8Tables.blockModes`.
  private static func blockMode(
    _ shared: inout VP8ProofReader, above: UInt8, left: UInt8, _ table: [UInt8]
  ) -> UInt8 {
    var reader = shared
    defer { shared = reader }
    let base = (Int(above) * 10 + Int(left)) * 9
    func node(_ index: Int) -> UInt8 { table[base + index] }
    guard reader.bool(node(0)) else { return 0 }
    guard reader.bool(node(1)) else { return 1 }
    guard reader.bool(node(2)) else { return 2 }
    if !reader.bool(node(3)) {
      guard reader.bool(node(4)) else { return 3 }
      return reader.bool(node(5)) ? 5 : 4
    }
    guard reader.bool(node(6)) else { return 6 }
    guard reader.bool(node(7)) else { return 7 }
    return reader.bool(node(8)) ? 9 : 8
  }

  private func checkHeader() throws(ProofError) {
    guard segments.isMinimal else { throw failure("segments") }
    if segments.areAbsolute {
      guard baseQuantizer == 0 || segments.quantizers.contains(baseQuantizer) else {
        throw failure("quantizer")
      }
    }
    guard
      filter.isMinimal(
        segments: segments, hasSplit: macroblocks.contains(where: \.isSplit))
    else { throw failure("filter") }
  }

  /// Reads the sizes of the partitions, then each row's tokens from its partition (RFC 6386, 9.5).
  private mutating func readTokens(in data: Range<Int>) throws(ProofError) {
    let sizes = 3 * (partitionCount - 1)
    guard sizes < data.count else { throw failure("partitions") }
    var readers: [VP8ProofReader] = []
    var start = data.lowerBound + sizes
    for index in 0..<partitionCount {
      var end = data.upperBound
      if index < partitionCount - 1 {
        let at = data.lowerBound + 3 * index
        end = start + (Int(bytes[at]) | Int(bytes[at + 1]) << 8 | Int(bytes[at + 2]) << 16)
      }
      guard end <= data.upperBound else { throw failure("partitions") }
      readers.append(VP8ProofReader(bytes, in: start..<end))
      // Unused partitions are empty, but libwebp requires a byte in the last one.
      let idle = index < partitionCount - 1 ? 0 : 1
      guard index < rows || end - start == idle && (idle == 0 || bytes[start] == 0) else {
        throw ProofError("webp-vp8-idle-partition", offset: start)
      }
      start = end
    }
    tokens.begin(columns: columns)
    let pixels = VP8ProofPixels(columns: columns)
    let steps = (0..<4).map {
      VP8ProofSteps(
        quantizer: segments.quantizer($0, base: baseQuantizer), deltas: deltas)
    }
    for row in 0..<rows {
      let index = row % partitionCount
      pixels.startRow(isFirst: row == 0)
      tokens.readRow(
        &readers[index], macroblocks[row * columns..<(row + 1) * columns], pixels, steps)
      guard !readers[index].isOverrun else {
        throw ProofError("webp-vp8-cut", offset: payload.upperBound)
      }
    }
    guard !pixels.detail.isHidden else { throw failure("detail") }
    for reader in readers.prefix(rows) { try reader.checkEnd() }
  }

  private func failure(_ problem: String) -> ProofError {
    ProofError("webp-vp8-\(problem)", offset: payload.lowerBound + 10)
  }
}
