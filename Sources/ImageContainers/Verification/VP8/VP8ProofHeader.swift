/// The segments of a key frame (RFC 6386, 9.3), read to prove that the header has no redundant values, which could hide
/// data. There are four sets of values, and each macroblock is assigned to one of them.
struct VP8ProofSegments {
  private var hasMap = false
  /// `true` if the values are absolute, not differences.
  private(set) var areAbsolute = false
  private(set) var quantizers = [0, 0, 0, 0]
  private(set) var filterLevels = [0, 0, 0, 0]
  private var probabilities: [UInt8] = [255, 255, 255]
  private var counts = [0, 0, 0, 0]
  /// `true` if the header contains something redundant.
  private var isRedundant = false

  mutating func parse(_ reader: inout VP8ProofReader) {
    guard reader.flag() else { return }
    hasMap = reader.flag()
    if reader.flag() {
      areAbsolute = reader.flag()
      for index in 0..<4 { quantizers[index] = value(&reader, 7) }
      for index in 0..<4 { filterLevels[index] = value(&reader, 6) }
    } else {
      isRedundant = true
    }
    if hasMap {
      for index in 0..<3 where reader.flag() {
        probabilities[index] = UInt8(reader.number(8))
      }
    }
  }

  private mutating func value(_ reader: inout VP8ProofReader, _ bits: Int) -> Int {
    guard reader.flag() else { return 0 }
    let value = reader.signed(bits)
    // Zero must be encoded by the flag alone.
    if value == 0 { isRedundant = true }
    return value
  }

  /// Reads a macroblock's segment.
  mutating func readSegment(_ reader: inout VP8ProofReader) -> Int {
    var segment = 0
    if hasMap {
      segment =
        reader.bool(probabilities[0])
        ? 2 + (reader.bool(probabilities[2]) ? 1 : 0) : reader.bool(probabilities[1]) ? 1 : 0
    }
    counts[segment] += 1
    return segment
  }

  /// Returns the quantizer of a segment.
  func quantizer(_ segment: Int, base: Int) -> Int {
    min(max(areAbsolute ? quantizers[segment] : base + quantizers[segment], 0), 127)
  }

  /// `true` if the header has no redundant values. A segment without macroblocks must have zero or the values of a used
  /// segment, and an unused probability must have its default.
  var isMinimal: Bool {
    guard !isRedundant else { return false }
    let used = counts.indices.filter { counts[$0] > 0 }
    for index in counts.indices where counts[index] == 0 {
      guard quantizers[index] == 0 || used.contains(where: { quantizers[$0] == quantizers[index] }),
        filterLevels[index] == 0
          || used.contains(where: { filterLevels[$0] == filterLevels[index] })
      else { return false }
    }
    return (counts[0] + counts[1] > 0 || probabilities[1] == 255)
      && (counts[2] + counts[3] > 0 || probabilities[2] == 255)
  }
}

/// The parameters of the loop filter (RFC 6386, 9.6).
struct VP8ProofFilter {
  private var isSimple = false
  private var level = 0
  private var sharpness = 0
  private var hasDeltas = false
  /// The level differences for four reference frames. Key frames only use the first one, for intra prediction.
  private var frames = [0, 0, 0, 0]
  /// The level differences for four kinds of modes. Key frames only use the first one, for macroblocks whose 16 blocks
  /// have their own modes.
  private var modes = [0, 0, 0, 0]
  private var isRedundant = false

  mutating func parse(_ reader: inout VP8ProofReader) {
    isSimple = reader.flag()
    level = reader.number(6)
    sharpness = reader.number(3)
    hasDeltas = reader.flag()
    guard hasDeltas else { return }
    guard reader.flag() else {
      isRedundant = true
      return
    }
    for index in 0..<4 where reader.flag() { frames[index] = reader.signed(6) }
    for index in 0..<4 where reader.flag() { modes[index] = reader.signed(6) }
  }

  func isMinimal(segments: VP8ProofSegments, hasSplit: Bool) -> Bool {
    guard !isRedundant else { return false }
    if level == 0 {
      // Without a filter, all other values must be zero.
      return !isSimple && sharpness == 0 && !hasDeltas
        && segments.filterLevels.allSatisfy { $0 == 0 }
    }
    // If segments have absolute levels, this level only enables the filter.
    if segments.areAbsolute, level > 1, !segments.filterLevels.contains(level) { return false }
    return frames.dropFirst().allSatisfy { $0 == 0 } && modes.dropFirst().allSatisfy { $0 == 0 }
      && (hasSplit || modes[0] == 0)
  }
}

extension VP8ProofReader {
  /// Reads a number and its sign.
  mutating func signed(_ bits: Int) -> Int {
    let value = number(bits)
    return flag() ? -value : value
  }
}
