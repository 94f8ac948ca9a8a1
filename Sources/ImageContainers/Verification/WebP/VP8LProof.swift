/// Verifies each byte of VP8L data (RFC 9649, 3). It reads all codes up to the last pixel. The data must end there, and
/// each prefix code, group and palette color must be used.
///
/// Unused channels (all except green in an alpha plane and in palette indices, alpha in an opaque picture) must be
/// constant over the picture. If there is alpha or a palette, all pixels are decoded. Fully transparent pixels must all
/// have the same color or the predicted one. The colors of a palette must be different and all occur, and each index
/// must be valid.
///
/// Not checked: the prediction modes, the lengths of codes for symbols that don't occur, which libwebp writes to make a
/// table shorter, and an encoder's choice among equivalent codes.
struct VP8LProof {
  /// The error code for data that ends before the last pixel.
  static let cut = "webp-vp8l-cut"

  private var reader: VP8LProofReader
  /// `true` for an alpha plane, in which only green is used.
  private let isAlpha: Bool
  /// `true` if the picture's alpha is used.
  private let hasAlpha: Bool
  private var width: Int
  private let height: Int
  private var hasPalette = false
  private var kinds = Set<Int>()
  private var transforms: [VP8LProofTransform] = []
  /// The blocks that are predicted to be black, or `nil` if the picture is not predicted.
  private var prediction: VP8LProofPrediction?

  /// Verifies a VP8L chunk. Returns the size in pixels and whether the picture has alpha.
  static func verify(
    _ bytes: [UInt8], in payload: Range<Int>
  ) throws(ProofError) -> (width: Int, height: Int, hasAlpha: Bool) {
    try bytes.withUnsafeBufferPointer { buffer throws(ProofError) in
      var reader = VP8LProofReader(buffer, in: payload)
      guard reader.readBits(8) == 0x2F else { throw reader.failure("signature") }
      let width = reader.readBits(14) + 1
      let height = reader.readBits(14) + 1
      let hasAlpha = reader.readBits(1) == 1
      guard reader.readBits(3) == 0 else { throw reader.failure("version") }
      var proof = VP8LProof(reader, width, height, isAlpha: false, hasAlpha: hasAlpha)
      try proof.readPicture()
      return (width, height, hasAlpha)
    }
  }

  /// Verifies the data of an ALPH chunk, which has no VP8L header, and passes its rows to `plane`. Returns the plane
  /// after all rows.
  static func verifyAlpha(
    in payload: Range<Int>, of bytes: [UInt8], width: Int, height: Int,
    plane: WebPProofAlpha? = nil
  ) throws(ProofError) -> WebPProofAlpha? {
    try bytes.withUnsafeBufferPointer { buffer throws(ProofError) in
      var proof = VP8LProof(
        VP8LProofReader(buffer, in: payload), width, height, isAlpha: true, hasAlpha: false)
      return try proof.readPicture(plane)
    }
  }

  private init(
    _ reader: VP8LProofReader, _ width: Int, _ height: Int, isAlpha: Bool, hasAlpha: Bool
  ) {
    self.reader = reader
    self.width = width
    self.height = height
    self.isAlpha = isAlpha
    self.hasAlpha = hasAlpha
  }

  @discardableResult
  private mutating func readPicture(
    _ plane: WebPProofAlpha? = nil
  ) throws(ProofError) -> WebPProofAlpha? {
    while reader.readBits(1) == 1 {
      let kind = reader.readBits(2)
      // Encoders write the palette first. Transforms before it would change its colors.
      guard kind != 3 || kinds.isEmpty, kinds.insert(kind).inserted else {
        throw reader.failure("transform")
      }
      try readTransform(kind)
    }
    let isGreenOnly = isAlpha || hasPalette
    // Unused red and blue must not be derived from green either.
    guard !isGreenOnly || kinds.isDisjoint(with: [1, 2]) else {
      throw reader.failure("idle-channel")
    }
    var image = VP8LProofImage(width: width, height: height)
    let hasColors = hasAlpha && !isGreenOnly
    let rows =
      isGreenOnly || hasAlpha
      ? VP8LProofRows(transforms, hasAlpha: hasAlpha, plane: plane) : nil
    let seen = try image.readCoded(
      &reader, rows: rows, isGreenOnly: isGreenOnly, hasAlpha: hasColors, prediction)
    try reader.checkEnd()
    guard let seen else { return nil }
    guard seen.isPaletteUsed else { throw reader.failure("idle-color") }
    guard !seen.hidesColors else { throw reader.failure("hidden-color") }
    return seen.plane
  }

  private mutating func readTransform(_ kind: Int) throws(ProofError) {
    switch kind {
    case 0, 1:
      let bits = reader.readBits(3) + 2
      let pixels = try subImage((width - 1) >> bits + 1, (height - 1) >> bits + 1)
      // The mode is in green. The color transform has factors in green, red and blue. Alpha is unused.
      let idle: UInt32 = kind == 0 ? 0x00FF_00FF : 0
      guard
        pixels.allSatisfy({
          $0 & idle == 0 && ($0 >> 24 == 255 || $0 >> 24 == 0)
            && (kind == 1 || $0 >> 8 & 0xFF < 14)
        })
      else { throw reader.failure("idle-channel") }
      guard kind == 0 else {
        transforms.append(.colors(bits: bits, factors: pixels))
        return
      }
      transforms.append(.prediction(bits: bits, modes: pixels))
      // Pixels of the first row and column are always predicted from their neighbor, whatever the mode.
      guard width > 1 && height > 1 || pixels.allSatisfy({ $0 == pixels[0] }) else {
        throw reader.failure("idle-mode")
      }
      prediction = VP8LProofPrediction(
        bits: bits, columns: (width - 1) >> bits + 1,
        isBlack: pixels.map { $0 >> 8 & 0xFF == 0 })
    case 2:
      transforms.append(.green)
    default:
      let count = reader.readBits(8) + 1
      let palette = try subImage(count, 1)
      // All colors except the first are differences.
      guard !isAlpha || palette.allSatisfy({ $0 & 0x00FF_00FF == 0 }),
        hasAlpha
          || palette.dropFirst().allSatisfy({ $0 >> 24 == 0 })
            && [0, 255].contains(palette[0] >> 24)
      else { throw reader.failure("idle-channel") }
      var colors = palette
      for index in 1..<max(1, count) {
        colors[index] = VP8LProofRows.sum(colors[index], colors[index - 1])
      }
      // The choice between two equal colors could hide data. Indices after the last color mean transparent black, which
      // libwebp uses.
      let shown: UInt32 = isAlpha ? 0xFF00 : hasAlpha ? .max : 0xFF_FFFF
      let distinct = Set(colors.map { $0 & shown })
      guard distinct.count == count else { throw reader.failure("twin-color") }
      if !distinct.contains(0) { colors.append(0) }
      transforms.append(.palette(colors, count: count, width: width))
      hasPalette = true
      width = (width - 1) >> Self.packing(count) + 1
    }
  }

  private mutating func subImage(_ width: Int, _ height: Int) throws(ProofError) -> [UInt32] {
    var image = VP8LProofImage(width: width, height: height)
    return try image.readPixels(&reader)
  }

  /// Returns the binary logarithm of the number of pixels that share a green value (RFC 9649, 4.4).
  static func packing(_ colors: Int) -> Int {
    colors <= 2 ? 3 : colors <= 4 ? 2 : colors <= 16 ? 1 : 0
  }
}

/// The blocks of a picture that are predicted to be opaque black (RFC 9649, 4.1, mode 0).
struct VP8LProofPrediction {
  /// The binary logarithm of a block's side.
  var bits: Int
  /// The number of blocks in a row.
  var columns: Int
  var isBlack: [Bool]

  /// Returns `true` if a pixel is predicted to be black. This applies to the first pixel of the picture, and to those
  /// of black blocks outside the first row and column.
  func isBlack(_ x: Int, _ y: Int) -> Bool {
    guard x > 0, y > 0 else { return x == y }
    return isBlack[(y >> bits) * columns + x >> bits]
  }
}
