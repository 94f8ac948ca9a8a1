/// The facts about an HEVC picture from its decoder configuration (`hvcC`, ISO 14496-15, 8.3.3.1) and its sequence
/// parameter sets.
struct HEVCConfiguration: Equatable {
  /// 0 for monochrome, 1 for 4:2:0, 2 for 4:2:2, 3 for 4:4:4.
  let chromaFormat: Int
  let bitDepth: Int
  let chromaBitDepth: Int
  /// The size in bytes of the length before each NAL unit of the picture's data.
  let lengthBytes: Int
  /// All sequence parameter sets in the configuration. Empty if they are among the picture's data.
  let parameterSets: [HEVCParameterSet]
  /// The ranges of the NAL units in the configuration, including parameter sets.
  let units: [Range<Int>]

  /// A limit above the number of units in any picture (ITU-T H.265, table A.8: at most 600 slices).
  static let maxUnits = 10_000

  init(_ box: ISOBox, _ bytes: [UInt8]) throws(ContainerError) {
    var reader = ByteReader(bytes, in: box.body)
    // Version, profile, compatibility and constraint flags, level, segmentation, parallelism.
    try reader.skip(16, for: "hvcC")
    chromaFormat = try reader.u8("hvcC") & 3
    bitDepth = 8 + (try reader.u8("hvcC") & 7)
    chromaBitDepth = 8 + (try reader.u8("hvcC") & 7)
    // Frame rate.
    try reader.skip(2, for: "hvcC")
    lengthBytes = 1 + (try reader.u8("hvcC") & 3)
    var sets: [HEVCParameterSet] = []
    var units: [Range<Int>] = []
    for _ in 0..<(try reader.u8("hvcC")) {
      let type = try reader.u8("hvcC") & 0x3F
      for _ in 0..<(try reader.big(2, "hvcC")) {
        let unit = try reader.range(try reader.big(2, "hvcC"), for: "hvcC")
        if type == HEVCParameterSet.unitType, let set = try HEVCParameterSet(bytes, in: unit) {
          sets.append(set)
        }
        units.append(unit)
        guard sets.count <= HEVCParameterSet.most, units.count <= Self.maxUnits else {
          throw .malformed("hevc-units", offset: unit.lowerBound)
        }
      }
    }
    parameterSets = sets
    self.units = units
  }
}

/// The sizes and colors in a sequence parameter set (ITU-T H.265, 7.3.2.2). Decoders allocate memory for these sizes.
struct HEVCParameterSet: Equatable {
  static let unitType = 33
  /// The maximum number of sets, because their identifiers are 0 to 15.
  static let most = 16
  /// The coded size in pixels.
  let codedWidth, codedHeight: Int
  /// The size in pixels after applying the conformance window.
  let width, height: Int
  /// `true` if chroma, if there is any, has the same bit depth as luma.
  let hasEqualDepths: Bool
  /// The colors in the VUI (annex E), or `nil` if it doesn't declare them.
  let colorTag: ColorTag?

  /// Parses the NAL unit at `range`, which includes its two-byte header. Returns `nil` for an empty unit or a layer
  /// other than the base layer.
  init?(_ bytes: [UInt8], in range: Range<Int>) throws(ContainerError) {
    guard !range.isEmpty else { return nil }
    var bits = RawBits(bytes, in: range)
    let start = range.lowerBound
    // NAL unit type (7 bits), layer (6), temporal id (3), video parameter set id (4).
    _ = bits.skip(7)
    guard bits.readBits(6) == 0 else { return nil }
    guard bits.skip(7) else { throw .malformed("hevc-parameter-set", offset: start) }
    let subLayers = bits.readBits(3)
    // Temporal nesting (1), profile and level (96).
    _ = bits.skip(97)
    if subLayers > 0 {
      var subLayerBits = 0
      for index in 0..<8 {
        let flags = bits.readBits(2)
        if index < subLayers { subLayerBits += (flags >> 1) * 88 + (flags & 1) * 8 }
      }
      _ = bits.skip(subLayerBits)
    }
    _ = bits.golomb()
    let chroma = bits.golomb()
    if chroma == 3 { _ = bits.skip(1) }
    codedWidth = bits.golomb()
    codedHeight = bits.golomb()
    var window = (across: 0, down: 0)
    if bits.readBits(1) == 1 {
      let left = bits.golomb()
      let right = bits.golomb()
      let top = bits.golomb()
      let bottom = bits.golomb()
      window = (left + right, top + bottom)
    }
    width = codedWidth - window.across * (chroma == 1 || chroma == 2 ? 2 : 1)
    height = codedHeight - window.down * (chroma == 1 ? 2 : 1)
    guard !bits.isExhausted, chroma <= 3, width > 0, height > 0 else {
      throw .malformed("hevc-parameter-set", offset: start)
    }
    let bitDepth = bits.golomb()
    hasEqualDepths = bits.golomb() == bitDepth || chroma == 0
    colorTag = bits.colorTag(subLayers: subLayers)
  }
}

extension RawBits {
  /// Reads from the position after the bit depths of a sequence parameter set to the colors in its VUI. Returns `nil`
  /// if it declares no colors or a field before them is invalid.
  fileprivate mutating func colorTag(subLayers: Int) -> ColorTag? {
    let orderBits = golomb() + 4
    // One set for each sub-layer, or only one for the highest.
    skipGolombs(readBits(1) == 1 ? 3 * (subLayers + 1) : 3)
    // Block sizes and depths.
    skipGolombs(6)
    // Scaling lists, if enabled and not the default ones.
    if readBits(1) == 1, readBits(1) == 1 { skipScalingLists() }
    // Asymmetric partitions, sample adaptive offset.
    _ = skip(2)
    if readBits(1) == 1 {
      _ = skip(8)
      skipGolombs(2)
      _ = skip(1)
    }
    guard skipPictureSets() else { return nil }
    if readBits(1) == 1 {
      let count = golomb()
      guard count <= 32 else { return nil }
      _ = skip(count * (orderBits + 1))
    }
    // Temporal motion vectors, smoothing; then the flag for the VUI.
    _ = skip(2)
    guard readBits(1) == 1 else { return nil }
    // Aspect ratio, with explicit numbers if it is 255; overscan.
    if readBits(1) == 1, readBits(8) == 255 { _ = skip(32) }
    if readBits(1) == 1 { _ = skip(1) }
    guard readBits(1) == 1 else { return nil }
    _ = skip(3)
    let isFullRange = readBits(1) == 1
    guard readBits(1) == 1 else { return nil }
    let stated = readBits(8)
    // Phones write the primaries of television by default. Viewers display them as those of sRGB, which are almost
    // equal.
    let primaries = (4...7).contains(stated) ? 1 : stated
    let transfer = readBits(8)
    let matrix = readBits(8)
    return isExhausted
      ? nil
      : .codePoints(
        primaries: primaries, transfer: transfer, matrix: matrix, fullRange: isFullRange)
  }

  private mutating func skipGolombs(_ count: Int) {
    for _ in 0..<count { _ = golomb() }
  }

  /// Skips scaling lists (7.3.4).
  private mutating func skipScalingLists() {
    for size in 0..<4 {
      for _ in 0..<(size == 3 ? 2 : 6) {
        // A reference to another list, or up to 64 differences after an optional first value.
        let isCoded = readBits(1) == 1
        skipGolombs(isCoded ? min(64, 16 << (2 * size)) + (size > 1 ? 1 : 0) : 1)
      }
    }
  }

  /// Skips the short-term reference picture sets (7.3.7). Returns `false` if they are invalid.
  private mutating func skipPictureSets() -> Bool {
    let sets = golomb()
    guard sets <= 64 else { return false }
    var pictures = 0
    for set in 0..<sets {
      if set > 0, readBits(1) == 1 {
        // The set is predicted from the previous one, and each of its pictures may be kept.
        _ = skip(1)
        _ = golomb()
        pictures = (0...pictures).count { _ in readBits(1) == 1 || readBits(1) == 1 }
      } else {
        pictures = golomb() + golomb()
        for _ in 0..<min(pictures, 32) {
          _ = golomb()
          _ = skip(1)
        }
      }
      guard pictures <= 32 else { return false }
    }
    return !isExhausted
  }
}

/// The first bits of a NAL unit without emulation prevention bytes (ITU-T H.265, 7.3.1.1).
private struct RawBits {
  private var payload: [UInt8] = []
  private var position = 0
  /// `true` after a read past the end. Such reads return 0.
  private(set) var isExhausted = false

  init(_ bytes: [UInt8], in range: Range<Int>) {
    // 4096 bytes are enough for the profiles of seven sub-layers and all scaling lists.
    var zeros = 0
    for byte in bytes[range.lowerBound..<min(range.upperBound, range.lowerBound + 4096)] {
      if zeros >= 2, byte == 3 {
        zeros = 0
        continue
      }
      zeros = byte == 0 ? zeros + 1 : 0
      payload.append(byte)
    }
  }

  mutating func skip(_ count: Int) -> Bool {
    position += count
    if position > payload.count * 8 { isExhausted = true }
    return !isExhausted
  }

  mutating func readBits(_ count: Int) -> Int {
    var value = 0
    for index in position..<position + count where index >> 3 < payload.count {
      value = value << 1 | Int(payload[index >> 3] >> (7 - UInt8(index & 7)) & 1)
    }
    return skip(count) ? value : 0
  }

  /// Returns an unsigned Exp-Golomb number of at most 32 bits.
  mutating func golomb() -> Int {
    var zeros = 0
    while zeros <= 32, !isExhausted, readBits(1) == 0 { zeros += 1 }
    guard zeros <= 32, !isExhausted else {
      isExhausted = true
      return 0
    }
    return (1 << zeros) - 1 + readBits(zeros)
  }
}
