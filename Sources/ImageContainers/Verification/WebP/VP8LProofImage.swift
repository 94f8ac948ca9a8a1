/// An entropy-coded image (RFC 9649, 3.7 and 4): the picture, or the data of a transform.
struct VP8LProofImage {
  let width: Int
  let height: Int
  private static let maxGroups = 4_096
  private var codes = VP8LProofCodes()

  init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  private static func cacheBits(_ reader: inout VP8LProofReader) throws(ProofError) -> Int {
    guard reader.readBits(1) == 1 else { return 0 }
    let bits = reader.readBits(4)
    guard 1...11 ~= bits else { throw reader.failure("cache") }
    return bits
  }

  /// Reads the main image. Returns `rows` after all rows have been passed to it.
  ///
  /// - Parameters:
  ///   - rows: processes the rows, or `nil` if the visible pixels need not be known.
  ///   - isGreenOnly: `true` if red and blue are unused.
  ///   - hasAlpha: `true` if alpha is used.
  mutating func readCoded(
    _ reader: inout VP8LProofReader, rows: VP8LProofRows?, isGreenOnly: Bool, hasAlpha: Bool,
    _ prediction: VP8LProofPrediction?
  ) throws(ProofError) -> VP8LProofRows? {
    let cacheBits = try Self.cacheBits(&reader)
    var groups: [Int32] = []
    var blockBits = 0
    if reader.readBits(1) == 1 {
      blockBits = reader.readBits(3) + 2
      var image = VP8LProofImage(
        width: (width - 1) >> blockBits + 1, height: (height - 1) >> blockBits + 1)
      let pixels = try image.readPixels(&reader)
      guard pixels.allSatisfy({ $0 & 0xFF == 0 && ($0 >> 24 == 0 || $0 >> 24 == 255) }) else {
        throw reader.failure("idle-channel")
      }
      groups = pixels.map { Int32($0 >> 8 & 0xFFFF) }
    }
    let count = Int(groups.max() ?? 0) + 1
    // libwebp writes at most 2,600 groups. Each uses some kilobytes of memory and as little as three bytes of data.
    guard count <= Self.maxGroups else { throw reader.failure("groups") }
    for _ in 0..<count { try codes.readGroup(&reader, cacheBits: cacheBits) }
    var kept = VP8LProofPixels(width: width, height: height, cacheBits: cacheBits, rows: rows)
    try readPixels(
      &reader, groups, blockBits, &kept, rows != nil, hasAlpha: hasAlpha, prediction)
    for group in 0..<count {
      guard codes.isSound(group: group) else { throw reader.failure("idle-code") }
      guard !isGreenOnly || codes.isGreenOnly(group: group) else {
        throw reader.failure("idle-channel")
      }
    }
    return kept.rows
  }

  private mutating func readPixels(
    _ shared: inout VP8LProofReader, _ groups: [Int32], _ blockBits: Int,
    _ kept: inout VP8LProofPixels, _ keepsPixels: Bool, hasAlpha: Bool,
    _ prediction: VP8LProofPrediction?
  ) throws(ProofError) {
    // A local copy stays in registers.
    var reader = shared
    defer { shared = reader }
    let blocks = (width - 1) >> blockBits + 1
    // If pixels need no data, the rest of a row or block is skipped.
    let takesNoData = (0..<codes.groupCount).map { codes.takesNoData(group: $0) }
    var groupTakesNoData = groups.isEmpty && takesNoData[0]
    var x = 0
    var y = 0
    var group = 0
    var isInside = false
    var firstAlpha: Int?
    while y < height {
      if !groups.isEmpty, !isInside || x & ((1 &<< blockBits) &- 1) == 0 {
        group = Int(groups[(y >> blockBits) &* blocks &+ (x >> blockBits)])
        groupTakesNoData = takesNoData[group]
        group &*= 5
      }
      isInside = true
      let green = codes.readSymbol(&reader, group)
      if green < 256 {
        let red = codes.readSymbol(&reader, group &+ 1)
        let blue = codes.readSymbol(&reader, group &+ 2)
        let alpha = codes.readSymbol(&reader, group &+ 3)
        // Usually everything is zero, and no further check is needed.
        if !hasAlpha, alpha | (firstAlpha ?? -1) != 0 {
          let first = firstAlpha ?? alpha
          firstAlpha = first
          // Alpha is constant if all values are 0 or 255, or with a prediction, if only the difference from black's 255
          // occurs.
          guard first == 0 || first == (prediction == nil ? 255 : 1),
            alpha == (prediction?.isBlack(x, y) ?? true ? first : 0)
          else { throw reader.failure("idle-channel") }
        }
        // Without a prediction, one value per group is enough to check.
        let isChecked = hasAlpha || prediction == nil || alpha | (firstAlpha ?? 0) == 0
        let next =
          groupTakesNoData && isChecked
          ? groups.isEmpty ? width : min(width, (x &>> blockBits &+ 1) &<< blockBits) : x &+ 1
        if keepsPixels {
          let pixel = UInt32(truncatingIfNeeded: alpha << 24 | red << 16 | green << 8 | blue)
          guard kept.put(pixel, count: next &- x) else { throw reader.failure("pixels") }
        }
        x = next
      } else if green < 280 {
        let length = Self.value(of: green &- 256, &reader)
        let place = Self.value(of: codes.readSymbol(&reader, group &+ 4), &reader)
        guard !keepsPixels || kept.repeated(length, from: distance(place)) else {
          throw reader.failure("pixels")
        }
        x &+= length
        isInside = false
      } else {
        if keepsPixels {
          guard !kept.isFull else { throw reader.failure("pixels") }
          kept.putCached(green &- 280)
        }
        x &+= 1
      }
      while x >= width {
        x = x &- width
        y = y &+ 1
        if reader.isOverrun { throw reader.failure("cut") }
      }
    }
    guard y == height, x == 0 else { throw reader.failure("pixels") }
  }

  /// Returns a length or distance, which consists of a prefix and extra bits.
  @inline(__always)
  private static func value(of prefix: Int, _ reader: inout VP8LProofReader) -> Int {
    guard prefix >= 4 else { return prefix &+ 1 }
    let extra = (prefix &- 2) &>> 1
    return ((2 &+ (prefix & 1)) &<< extra) &+ reader.readBits(extra) &+ 1
  }

  /// Reads a subresolution image, which has one group of prefix codes, and returns its pixels as ARGB.
  mutating func readPixels(_ reader: inout VP8LProofReader) throws(ProofError) -> [UInt32] {
    let cacheBits = try Self.cacheBits(&reader)
    try codes.readGroup(&reader, cacheBits: cacheBits)
    var kept = VP8LProofPixels(width: width, height: height, cacheBits: cacheBits)
    while !kept.isFull {
      guard !reader.isOverrun else { throw reader.failure("cut") }
      let green = codes.readSymbol(&reader, 0)
      if green < 256 {
        let red = codes.readSymbol(&reader, 1)
        let blue = codes.readSymbol(&reader, 2)
        let alpha = codes.readSymbol(&reader, 3)
        kept.put(UInt32(alpha) << 24 | UInt32(red) << 16 | UInt32(green) << 8 | UInt32(blue))
      } else if green < 280 {
        let length = Self.value(of: green - 256, &reader)
        let distance = self.distance(Self.value(of: codes.readSymbol(&reader, 4), &reader))
        guard kept.repeated(length, from: distance) else { throw reader.failure("pixels") }
      } else {
        kept.putCached(green - 280)
      }
    }
    guard codes.isSound(group: 0) else { throw reader.failure("idle-code") }
    return kept.pixels
  }

  /// Returns the distance in pixels for a distance code. Codes up to 120 are nearby pixels (4.2.2).
  private func distance(_ code: Int) -> Int {
    guard code <= 120 else { return code - 120 }
    let place = Int(Self.places[code - 1])
    return max(1, (place >> 4) * width + 8 - (place & 15))
  }

  /// The rows up in the upper four bits, and 8 minus the columns to the left in the lower four bits.
  private static let places: [UInt8] = [
    0x18, 0x07, 0x17, 0x19, 0x28, 0x06, 0x27, 0x29, 0x16, 0x1A, 0x26, 0x2A, 0x38, 0x05, 0x37,
    0x39, 0x15, 0x1B, 0x36, 0x3A, 0x25, 0x2B, 0x48, 0x04, 0x47, 0x49, 0x14, 0x1C, 0x35, 0x3B,
    0x46, 0x4A, 0x24, 0x2C, 0x58, 0x45, 0x4B, 0x34, 0x3C, 0x03, 0x57, 0x59, 0x13, 0x1D, 0x56,
    0x5A, 0x23, 0x2D, 0x44, 0x4C, 0x55, 0x5B, 0x33, 0x3D, 0x68, 0x02, 0x67, 0x69, 0x12, 0x1E,
    0x66, 0x6A, 0x22, 0x2E, 0x54, 0x5C, 0x43, 0x4D, 0x65, 0x6B, 0x32, 0x3E, 0x78, 0x01, 0x77,
    0x79, 0x53, 0x5D, 0x11, 0x1F, 0x64, 0x6C, 0x42, 0x4E, 0x76, 0x7A, 0x21, 0x2F, 0x75, 0x7B,
    0x31, 0x3F, 0x63, 0x6D, 0x52, 0x5E, 0x00, 0x74, 0x7C, 0x41, 0x4F, 0x10, 0x20, 0x62, 0x6E,
    0x30, 0x73, 0x7D, 0x51, 0x5F, 0x40, 0x72, 0x7E, 0x61, 0x6F, 0x50, 0x71, 0x7F, 0x60, 0x70,
  ]
}
