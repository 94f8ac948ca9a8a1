/// A VP8 key frame, read up to its last arithmetically coded bit (a "bool" in RFC 6386). It is written again without
/// the bits that decoders ignore. The token partitions are copied, but each is cut after its last token. The first
/// partition is encoded again without the header values that no macroblock needs.
struct VP8Frame {
  private typealias Recorded = (bit: Bool, probability: UInt8)

  private let payload: ArraySlice<UInt8>
  private let columns, rows: Int
  private var header = VP8FrameHeader()
  /// The bools after the header, which are the modes of all macroblocks.
  private var modes: [Recorded] = []
  private var segments = [Int](repeating: 0, count: 4)
  private var hasSplit = false
  private var isSplit: [Bool] = []
  private var isSkipped: [Bool] = []
  /// The bytes of each token partition that are needed to read its tokens.
  private var partitions: [[UInt8]] = []
  private var isUsed = [Bool](repeating: false, count: 1_056)
  /// The number of macroblock rows with complete tokens.
  private var rowsRead = 0

  /// Returns the frame in its shortest form, or `nil` if it can't be parsed.
  static func cleaned(_ payload: ArraySlice<UInt8>) -> [UInt8]? {
    var frame = VP8Frame(payload)
    return frame?.readFrame() == true ? frame?.written() : nil
  }

  /// Returns the number of complete rows of pixels from the top, or `nil` if it can't be determined.
  static func wholeRows(of payload: ArraySlice<UInt8>) -> Int? {
    guard var frame = VP8Frame(payload) else { return 0 }
    if frame.readFrame() { return frame.rows * 16 }
    return frame.header.isAmbiguous ? nil : frame.rowsRead * 16
  }

  private init?(_ payload: ArraySlice<UInt8>) {
    let start = payload.startIndex
    guard payload.count > 10 else { return nil }
    self.payload = payload
    columns = ((Int(payload[start + 6]) | Int(payload[start + 7] & 0x3F) << 8) + 15) / 16
    rows = ((Int(payload[start + 8]) | Int(payload[start + 9] & 0x3F) << 8) + 15) / 16
  }

  private mutating func readFrame() -> Bool {
    let start = payload.startIndex
    let tag = Int(payload[start]) | Int(payload[start + 1]) << 8 | Int(payload[start + 2]) << 16
    let first = start + 10..<start + 10 + tag >> 5
    guard first.upperBound < payload.endIndex else { return false }
    var reader = VP8BoolReader(payload[first])
    header.parse(&reader)
    guard !header.isAmbiguous else { return false }
    readModes(&reader)
    guard !reader.isBroken else { return false }
    return readTokens(payload[first.upperBound...])
  }

  private mutating func readModes(_ reader: inout VP8BoolReader) {
    var recorded: [Recorded] = []
    func bool(_ probability: UInt8) -> Bool {
      let bit = reader.bool(probability)
      recorded.append((bit, probability))
      return bit
    }
    /// Walks a tree. Positive entries are nodes, others are negated leaves.
    func leaf(_ tree: [Int], _ probability: (Int) -> UInt8) -> Int {
      var entry = 0
      repeat { entry = tree[entry + (bool(probability(entry / 2)) ? 1 : 0)] } while entry > 0
      return -entry
    }
    var above = [Int](repeating: 0, count: columns * 4)
    for _ in 0..<rows {
      var left = [0, 0, 0, 0]
      for column in 0..<columns {
        let segment =
          header.hasMap ? leaf(Self.segmentTree) { header.segmentProbabilities[$0] } : 0
        segments[segment] += 1
        isSkipped.append(header.skipProbability.map { bool($0) } ?? false)
        let mode = leaf(Self.lumaTree) { [145, 156, 163, 128][$0] }
        isSplit.append(mode == 4)
        for block in 0..<16 {
          let x = column * 4 + block % 4
          let y = block / 4
          let own =
            mode < 4
            ? mode
            : leaf(Self.blockTree) {
              VP8Tables.blockModes[above[x] * 90 + left[y] * 9 + $0]
            }
          above[x] = own
          left[y] = own
        }
        _ = leaf(Self.chromaTree) { [142, 114, 183][$0] }
      }
      if reader.isBroken { break }
    }
    modes = recorded
    hasSplit = isSplit.contains(true)
  }

  // The trees of RFC 6386, 9.3, 11.2 and 11.4. Modes: DC 0, TM 1, vertical 2, horizontal 3, split 4.
  private static let segmentTree = [2, 4, 0, -1, -2, -3]
  private static let lumaTree = [-4, 2, 4, 6, 0, -2, -3, -1]
  private static let chromaTree = [0, 2, -2, 4, -3, -1]
  private static let blockTree = [
    0, 2, -1, 4, -2, 6, 8, 12, -3, 10, -4, -5, -6, 14, -7, 16, -8, -9,
  ]
}

// MARK: - Tokens

extension VP8Frame {
  private mutating func readTokens(_ data: ArraySlice<UInt8>) -> Bool {
    let count = header.partitionCount
    var start = data.startIndex + 3 * (count - 1)
    guard start < data.endIndex else { return false }
    var readers: [VP8BoolReader] = []
    var areAllThere = true
    for index in 0..<count {
      let at = data.startIndex + 3 * index
      let end =
        index == count - 1
        ? data.endIndex
        : start + (Int(data[at]) | Int(data[at + 1]) << 8 | Int(data[at + 2]) << 16)
      areAllThere = areAllThere && end <= data.endIndex
      readers.append(VP8BoolReader(data[min(start, data.endIndex)..<min(end, data.endIndex)]))
      start = end
    }
    var above = [Bool](repeating: false, count: columns * 9)
    for row in 0..<rows {
      var left = [Bool](repeating: false, count: 9)
      for column in 0..<columns {
        readMacroblock(
          row * columns + column, &readers[row % count], &above, column * 9, &left)
      }
      guard !readers[row % count].isBroken else { return false }
      rowsRead += 1
    }
    guard areAllThere else { return false }
    for (index, reader) in readers.enumerated() {
      if index < rows, reader.neededBits > 0 {
        partitions.append(reader.lowest)
      } else {
        // No bits of this partition were used, so it could be empty. But libwebp requires a byte in the last partition
        // and in each one that has a row.
        partitions.append(index < rows || index == count - 1 ? [0] : [])
      }
    }
    return true
  }

  private mutating func readMacroblock(
    _ index: Int, _ reader: inout VP8BoolReader, _ above: inout [Bool], _ base: Int,
    _ left: inout [Bool]
  ) {
    let isSplit = isSplit[index]
    guard !isSkipped[index] else {
      for block in 0..<(isSplit ? 8 : 9) {
        above[base + block] = false
        left[block] = false
      }
      return
    }
    /// Reads a block. `x` and `y` are the indices of its context above and to the left.
    func block(_ kind: Int, first: Int, _ x: Int, _ y: Int) {
      let context = (above[base + x] ? 1 : 0) + (left[y] ? 1 : 0)
      let hasTokens = readBlock(&reader, kind, context, first)
      above[base + x] = hasTokens
      left[y] = hasTokens
    }
    if !isSplit { block(1, first: 0, 8, 8) }
    for y in 0..<4 {
      for x in 0..<4 { block(isSplit ? 3 : 0, first: isSplit ? 0 : 1, x, y) }
    }
    for plane in [4, 6] {
      for y in 0..<2 { for x in 0..<2 { block(2, first: 0, plane + x, plane + y) } }
    }
  }

  private static let bands = [0, 1, 2, 3, 6, 4, 5, 6, 6, 6, 6, 6, 6, 6, 6, 7]
  // The tree of tokens (RFC 6386, 13.2): end 0, zero 1, one 2, two to four, six categories.
  private static let tokenTree = [
    0, 2, -1, 4, -2, 6, 8, 12, -3, 10, -4, -5, 14, 16, -6, -7, 18, 20, -8, -9, -10, -11,
  ]
  private static let extraBits: [[UInt8]] = [
    [159], [165, 145], [173, 148, 140], [176, 155, 140, 135], [180, 157, 141, 134, 130],
    [254, 254, 243, 230, 196, 177, 153, 140, 133, 130, 129],
  ]

  /// Reads the tokens of a block. Returns `true` if there is any token before the end token.
  private mutating func readBlock(
    _ reader: inout VP8BoolReader, _ kind: Int, _ context: Int, _ first: Int
  ) -> Bool {
    var context = context
    var mayEnd = true
    for position in first..<16 {
      let base = ((kind * 8 + Self.bands[position]) * 3 + context) * 11
      // The end can't follow a zero, so the tree is entered at its second node.
      var entry = mayEnd ? 0 : 2
      repeat {
        isUsed[base + entry / 2] = true
        let bit = reader.bool(header.probabilities[base + entry / 2])
        entry = Self.tokenTree[entry + (bit ? 1 : 0)]
      } while entry > 0
      let token = -entry
      if token == 0 { return position > first }
      if token >= 6 {
        for probability in Self.extraBits[token - 6] { _ = reader.bool(probability) }
      }
      if token >= 2 { _ = reader.bool(128) }
      mayEnd = token != 1
      context = min(token - 1, 2)
    }
    return true
  }
}

// MARK: - Writing

extension VP8Frame {
  /// The number of bytes of the first partition that are kept after the header. libwebp's incremental decoder, which
  /// browsers use, reads up to seven bytes ahead and rejects a picture if no byte is left after its header.
  private static let bytesBehindHeader = 8

  private func written() -> [UInt8] {
    var writer = VP8BoolWriter()
    header.write(
      to: &writer, segments: segments, hasSplit: hasSplit, usedProbabilities: isUsed)
    let least = writer.neededBytes + Self.bytesBehindHeader
    for (bit, probability) in modes { writer.put(bit, probability) }
    var first = writer.finished()
    first += repeatElement(0, count: max(0, least - first.count))

    let start = payload.startIndex
    let tag = first.count << 5 | 0x10
    var output = (0..<3).map { UInt8(tag >> (8 * $0) & 0xFF) }
    output += payload[start + 3..<start + 10]
    // Clears the scaling bits, which decoders ignore.
    output[7] &= 0x3F
    output[9] &= 0x3F
    output += first
    for partition in partitions.dropLast() {
      output += (0..<3).map { UInt8(partition.count >> (8 * $0) & 0xFF) }
    }
    for partition in partitions { output += partition }
    return output
  }
}
