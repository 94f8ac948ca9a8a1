@testable import ImageContainers

/// A small VP8 key frame in pieces, in which tests plant foreign data. Its macroblocks are predicted by DC and have no
/// coefficients. Without changes it is a valid product of four macroblocks in a row.
struct VP8Product {
  struct Segments {
    var hasMap = true
    var hasValues = true
    var areAbsolute = false
    var quantizers = [1, 2, 3, 4]
    var filterLevels = [0, 0, 0, 0]
    /// The probabilities of 0 and 1 against 2 and 3, of 0 against 1, and of 2 against 3; `nil` means 255.
    var probabilities: [Int?] = [128, 100, 90]
    /// The segment of each macroblock.
    var map = [0, 1, 2, 3]
  }

  var columns = 4
  var rows = 1
  var segments: Segments?
  var filterLevel = 0
  var quantizer = 10
  /// The binary logarithm of the number of partitions.
  var partitionBits = 0
  /// The token probabilities that the header changes, by their index in `VP8Tables.coefficients`.
  var changed: [Int: Int] = [:]
  /// The luma DC coefficients of each macroblock in zigzag order, at most 34 each.
  var lumaDC: [[Int]] = []
  /// The minimum number of bytes of the first partition after the header.
  var bytesBehindHeader = 8
  /// The contents of partitions that no row reads.
  var idle: [Int: [UInt8]] = [:]

  /// The number of bytes before the tokens.
  var headerCount: Int { 10 + header.count }

  /// The payload of the chunk.
  var bytes: [UInt8] {
    let head = header
    let partitions = (0..<1 << partitionBits).map { partition($0) }
    let sizes = partitions.dropLast().flatMap { WebPBuilder.little($0.count, 3) }
    return WebPBuilder.little(head.count << 5 | 0x10, 3) + [0x9D, 0x01, 0x2A]
      + WebPBuilder.little(columns * 16, 2) + WebPBuilder.little(rows * 16, 2) + head + sizes
      + partitions.flatMap { $0 }
  }

  /// The header and the modes (RFC 6386, 19.2 and 11).
  private var header: [UInt8] {
    var bools = VP8BoolWriter()
    bools.put(0, 2)
    bools.put(segments != nil, 128)
    if let segments { put(segments, &bools) }
    bools.put(0, 1)
    bools.put(filterLevel, 6)
    bools.put(0, 4)
    bools.put(partitionBits, 2)
    bools.put(quantizer, 7)
    bools.put(0, 6)
    for (index, probability) in VP8Tables.coefficientUpdates.enumerated() {
      bools.put(changed[index] != nil, probability)
      if let value = changed[index] { bools.put(value, 8) }
    }
    bools.put(0, 1)
    let least = bools.neededBytes + bytesBehindHeader
    for index in 0..<columns * rows {
      if let segments, segments.hasMap {
        let segment = segments.map[index]
        func probability(_ index: Int) -> UInt8 { UInt8(segments.probabilities[index] ?? 255) }
        bools.put(segment > 1, probability(0))
        bools.put(segment & 1 == 1, probability(segment > 1 ? 2 : 1))
      }
      // The mode is DC, for all of luma and for chroma.
      bools.put(true, 145)
      bools.put(false, 156)
      bools.put(false, 163)
      bools.put(false, 142)
    }
    let bytes = bools.finished()
    return bytes + [UInt8](repeating: 0, count: max(0, least - bytes.count))
  }

  private func put(_ segments: Segments, _ bools: inout VP8BoolWriter) {
    bools.put(segments.hasMap, 128)
    bools.put(segments.hasValues, 128)
    if segments.hasValues {
      bools.put(segments.areAbsolute, 128)
      for value in segments.quantizers { bools.put(optional: value, 7) }
      for value in segments.filterLevels { bools.put(optional: value, 6) }
    }
    guard segments.hasMap else { return }
    for probability in segments.probabilities {
      bools.put(probability != nil, 128)
      if let probability { bools.put(probability, 8) }
    }
  }

  /// Returns a token partition with the DCs of luma. The other blocks, 16 of luma and 8 of chroma, end at once (13).
  private func partition(_ index: Int) -> [UInt8] {
    guard index < rows else {
      return idle[index] ?? (index == 1 << partitionBits - 1 ? [0] : [])
    }
    var bools = VP8BoolWriter()
    func probability(_ set: Int) -> UInt8 {
      UInt8(changed[set * 11] ?? Int(VP8Tables.coefficients[set * 11]))
    }
    for row in stride(from: index, to: rows, by: 1 << partitionBits) {
      var context = 0
      for column in 0..<columns {
        let place = row * columns + column
        context = put(place < lumaDC.count ? lumaDC[place] : [], context, &bools)
        for _ in 0..<16 { bools.put(false, probability(3)) }
        for _ in 0..<8 { bools.put(false, probability(48)) }
      }
    }
    return bools.finished()
  }

  /// Appends a block of DCs in a single row of macroblocks (13.2 and 13.3). Returns 1 if it has coefficients.
  private func put(_ values: [Int], _ context: Int, _ bools: inout VP8BoolWriter) -> Int {
    let bands = [0, 1, 2, 3, 6, 4, 5, 6, 6, 6, 6, 6, 6, 6, 6, 7]
    var (context, mayEnd) = (context, true)
    for (position, value) in (values + [0]).enumerated() where position < 16 {
      let set = (24 + bands[position] * 3 + context) * 11
      func put(_ bit: Bool, _ node: Int) {
        bools.put(bit, UInt8(changed[set + node] ?? Int(VP8Tables.coefficients[set + node])))
      }
      if position == values.count {
        put(false, 0)
        break
      }
      if mayEnd { put(true, 0) }
      put(value != 0, 1)
      (mayEnd, context) = (value != 0, min(2, abs(value)))
      guard value != 0 else { continue }
      put(abs(value) > 1, 2)
      // The categories with their lowest value and the probabilities of the extra bits.
      let categories: [(Int, [UInt8])] = [
        (5, [159]), (7, [165, 145]), (11, [173, 148, 140]), (19, [176, 155, 140, 135]),
      ]
      if case let size = abs(value), size > 4,
        let category = categories.lastIndex(where: { $0.0 <= size })
      {
        put(true, 3)
        put(category > 1, 6)
        if category < 2 {
          put(category == 1, 7)
        } else {
          put(false, 8)
          put(category == 3, 9)
        }
        let (least, extra) = categories[category]
        for (bit, probability) in extra.reversed().enumerated().reversed() {
          bools.put((size - least) >> bit & 1 == 1, probability)
        }
      } else if abs(value) > 1 {
        put(false, 3)
        put(abs(value) > 2, 4)
        if abs(value) > 2 { put(abs(value) == 4, 5) }
      }
      bools.put(value < 0, 128)
    }
    return values.isEmpty ? 0 : 1
  }
}
