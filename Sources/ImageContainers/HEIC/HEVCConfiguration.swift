/// What a decoder configuration (`hvcC`, ISO 14496-15, 8.3.3.1) and its sequence parameter sets say
/// of an HEVC picture.
struct HEVCConfiguration: Equatable {
  /// 0 monochrome, 1 4:2:0, 2 4:2:2, 3 4:4:4.
  let chromaFormat: Int
  let bitDepth: Int
  let chromaBitDepth: Int
  /// Bytes of the length before each NAL unit of the picture's data.
  let lengthBytes: Int
  /// Every sequence parameter set in it; none when they come with the picture's data.
  let parameterSets: [HEVCParameterSet]
  /// The ranges of its NAL units, including parameter sets.
  let units: [Range<Int>]

  /// More units than any picture has (ITU-T H.265, table A.8: at most 600 slices).
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

/// The size that a sequence parameter set (ITU-T H.265, 7.3.2.2) makes a decoder allocate.
struct HEVCParameterSet: Equatable {
  static let unitType = 33
  /// Their identifiers are 0 to 15.
  static let most = 16
  /// Pixels as coded.
  let codedWidth, codedHeight: Int
  /// Pixels after the conformance window.
  let width, height: Int
  /// Whether samples of chroma, if there are any, have as many bits as those of luma.
  let hasEqualDepths: Bool
  /// What its colors are (VUI, annex E); nil where it leaves that open.
  let colorTag: ColorTag?

  /// Reads the NAL unit at `range`, its two-byte header included; nil for an empty unit, or one of
  /// another layer than the base picture's.
  init?(_ bytes: [UInt8], in range: Range<Int>) throws(ContainerError) {
    guard !range.isEmpty else { return nil }
    var bits = RawBits(bytes, in: range)
    let start = range.lowerBound
    // NAL unit type (7 bits), layer (6), temporal id (3), video parameter set id (4).
    _ = bits.skip(7)
    guard bits.read(6) == 0 else { return nil }
    guard bits.skip(7) else { throw .malformed("hevc-parameter-set", offset: start) }
    let subLayers = bits.read(3)
    // Temporal nesting (1), profile and level (96).
    _ = bits.skip(97)
    if subLayers > 0 {
      var subLayerBits = 0
      for index in 0..<8 {
        let flags = bits.read(2)
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
    if bits.read(1) == 1 {
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
  /// Reads from behind the bit depths of a sequence parameter set to the colors in its VUI; nil where there are
  /// none, or what lies before them cannot be read.
  fileprivate mutating func colorTag(subLayers: Int) -> ColorTag? {
    let orderBits = golomb() + 4
    // Of every sub-layer, or of the highest alone.
    skipGolombs(read(1) == 1 ? 3 * (subLayers + 1) : 3)
    // Sizes and depths of blocks.
    skipGolombs(6)
    // Scaling lists, and whether they are not the default ones.
    if read(1) == 1, read(1) == 1 { skipScalingLists() }
    // Asymmetric partitions, sample adaptive offset.
    _ = skip(2)
    if read(1) == 1 {
      _ = skip(8)
      skipGolombs(2)
      _ = skip(1)
    }
    guard skipPictureSets() else { return nil }
    if read(1) == 1 {
      let count = golomb()
      guard count <= 32 else { return nil }
      _ = skip(count * (orderBits + 1))
    }
    // Temporal motion vectors, smoothing; then whether there is a VUI.
    _ = skip(2)
    guard read(1) == 1 else { return nil }
    // Aspect ratio, which 255 gives in numbers; overscan.
    if read(1) == 1, read(8) == 255 { _ = skip(32) }
    if read(1) == 1 { _ = skip(1) }
    guard read(1) == 1 else { return nil }
    _ = skip(3)
    let isFullRange = read(1) == 1
    guard read(1) == 1 else { return nil }
    let stated = read(8)
    // Phones write those of television by habit; viewers show them as sRGB's, which they nearly are.
    let primaries = (4...7).contains(stated) ? 1 : stated
    let transfer = read(8)
    let matrix = read(8)
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
        // Another list, or differences: the first and up to 64 of them.
        let isCoded = read(1) == 1
        skipGolombs(isCoded ? min(64, 16 << (2 * size)) + (size > 1 ? 1 : 0) : 1)
      }
    }
  }

  /// Returns the short-term reference picture sets (7.3.7); false where they are not what a stream
  /// can have.
  private mutating func skipPictureSets() -> Bool {
    let sets = golomb()
    guard sets <= 64 else { return false }
    var pictures = 0
    for set in 0..<sets {
      if set > 0, read(1) == 1 {
        // Made from the set before it, of which each picture may stay.
        _ = skip(1)
        _ = golomb()
        pictures = (0...pictures).count { _ in read(1) == 1 || read(1) == 1 }
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

/// The first bits of a NAL unit, emulation prevention bytes removed (ITU-T H.265, 7.3.1.1).
private struct RawBits {
  private var payload: [UInt8] = []
  private var position = 0
  /// Set by a read past the end; what was read then is 0.
  private(set) var isExhausted = false

  init(_ bytes: [UInt8], in range: Range<Int>) {
    // Profiles of seven sub-layers and all scaling lists take less.
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

  mutating func read(_ count: Int) -> Int {
    var value = 0
    for index in position..<position + count where index >> 3 < payload.count {
      value = value << 1 | Int(payload[index >> 3] >> (7 - UInt8(index & 7)) & 1)
    }
    return skip(count) ? value : 0
  }

  /// Returns an unsigned Exp-Golomb number of at most 32 bits.
  mutating func golomb() -> Int {
    var zeros = 0
    while zeros <= 32, !isExhausted, read(1) == 0 { zeros += 1 }
    guard zeros <= 32, !isExhausted else {
      isExhausted = true
      return 0
    }
    return (1 << zeros) - 1 + read(zeros)
  }
}
