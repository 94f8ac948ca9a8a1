/// The bools at the beginning of a key frame (RFC 6386, 9.3 to 9.11 and 19.2).
struct VP8FrameHeader {
  private var hasSegments = false
  private(set) var hasMap = false
  private var hasSegmentValues = false
  private var isAbsolute = false
  private var quantizers = [0, 0, 0, 0]
  private var filterLevels = [0, 0, 0, 0]
  private(set) var segmentProbabilities: [UInt8] = [255, 255, 255]
  private var isSimple = false
  private var level = 0
  private var sharpness = 0
  private var frameDelta = 0
  private var modeDelta = 0
  private(set) var partitionCount = 1
  private var quantizer = 0
  private var quantizerDeltas = [0, 0, 0, 0, 0]
  /// The token probabilities that the header sets.
  private var updates: [Int: UInt8] = [:]
  private(set) var probabilities = VP8Tables.coefficients
  private(set) var skipProbability: UInt8?

  /// `true` if there are segments without values, which decoders interpret differently.
  var isAmbiguous: Bool { hasSegments && !hasSegmentValues }

  mutating func parse(_ reader: inout VP8BoolReader) {
    _ = reader.number(2)  // color space and clamping, which still picture decoders ignore
    hasSegments = reader.bool(128)
    if hasSegments {
      hasMap = reader.bool(128)
      hasSegmentValues = reader.bool(128)
      if hasSegmentValues {
        isAbsolute = reader.bool(128)
        for index in 0..<4 { quantizers[index] = reader.optional(7) }
        for index in 0..<4 { filterLevels[index] = reader.optional(6) }
      }
      if hasMap {
        for index in 0..<3 where reader.bool(128) {
          segmentProbabilities[index] = UInt8(reader.number(8))
        }
      }
    }
    isSimple = reader.bool(128)
    level = reader.number(6)
    sharpness = reader.number(3)
    if reader.bool(128), reader.bool(128) {
      let deltas = (0..<8).map { _ in reader.optional(6) }
      frameDelta = deltas[0]
      modeDelta = deltas[4]
    }
    partitionCount = 1 << reader.number(2)
    quantizer = reader.number(7)
    for index in 0..<5 { quantizerDeltas[index] = reader.optional(4) }
    _ = reader.bool(128)  // whether probabilities outlive the frame
    for index in probabilities.indices where reader.bool(VP8Tables.coefficientUpdates[index]) {
      let probability = UInt8(reader.number(8))
      probabilities[index] = probability
      updates[index] = probability
    }
    skipProbability = reader.bool(128) ? UInt8(reader.number(8)) : nil
  }

  /// Writes the values that the frame needs. Values of unused segments and probabilities become zero or the default,
  /// and so do the filter parameters if there is no filter.
  func write(
    to writer: inout VP8BoolWriter, segments: [Int], hasSplit: Bool, usedProbabilities: [Bool]
  ) {
    writer.put(0, 2)
    let values = (0..<4).map { segments[$0] > 0 ? quantizers[$0] : 0 }
    var levels = (0..<4).map { segments[$0] > 0 && level > 0 ? filterLevels[$0] : 0 }
    let mode = hasSplit ? modeDelta : 0
    var own = level
    // If segments have their own levels, the frame's level only enables the filter.
    if hasSegments, isAbsolute, level > 0 {
      own = levels.max() ?? 0
      if own <= 0 { own = max(frameDelta, 0) + max(mode, 0) > 0 ? 1 : 0 }
      // Levels below zero don't filter.
      if own == 0 { levels = [0, 0, 0, 0] }
    }
    // Absolute segment values replace the frame's value even if they are all zero.
    let keepsSegments =
      hasSegments && (hasMap || isAbsolute || (values + levels).contains { $0 != 0 })
    writer.put(keepsSegments, 128)
    if keepsSegments {
      writer.put(hasMap, 128)
      writer.put(true, 128)
      writer.put(isAbsolute, 128)
      for value in values { writer.put(optional: value, 7) }
      for level in levels { writer.put(optional: level, 6) }
      if hasMap {
        let decides = [
          true, segments[0] + segments[1] > 0, segments[2] + segments[3] > 0,
        ]
        for (probability, decides) in zip(segmentProbabilities, decides) {
          let isSaid = decides && probability != 255
          writer.put(isSaid, 128)
          if isSaid { writer.put(Int(probability), 8) }
        }
      }
    }
    let areAbsolute = keepsSegments && isAbsolute
    writeFilter(to: &writer, level: own, modeDelta: mode)
    writer.put(partitionCount.trailingZeroBitCount, 2)
    writer.put(areAbsolute ? 0 : quantizer, 7)
    for delta in quantizerDeltas { writer.put(optional: delta, 4) }
    writer.put(false, 128)
    for index in probabilities.indices {
      let update = usedProbabilities[index] ? updates[index] : nil
      writer.put(update != nil, VP8Tables.coefficientUpdates[index])
      if let update { writer.put(Int(update), 8) }
    }
    writer.put(skipProbability != nil, 128)
    if let skipProbability { writer.put(Int(skipProbability), 8) }
  }

  private func writeFilter(to writer: inout VP8BoolWriter, level own: Int, modeDelta mode: Int) {
    writer.put(own > 0 && isSimple, 128)
    writer.put(own, 6)
    writer.put(own > 0 ? sharpness : 0, 3)
    let hasDeltas = own > 0 && (frameDelta != 0 || mode != 0)
    writer.put(hasDeltas, 128)
    guard hasDeltas else { return }
    writer.put(true, 128)
    for delta in [frameDelta, 0, 0, 0, mode, 0, 0, 0] { writer.put(optional: delta, 6) }
  }
}
