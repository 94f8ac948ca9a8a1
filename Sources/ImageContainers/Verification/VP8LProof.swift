/// Verifies each byte of VP8L data (RFC 9649, 3): reads every code to the last pixel's, holds the
/// data to end there, and each prefix code, group and color of a palette to be used.
///
/// Channels that are not used (all but green of an alpha plane and of places in a palette, alpha of
/// an opaque picture) have in each pixel the one value that makes them the same all over. With alpha or
/// a palette all pixels are decoded: what is wholly transparent has one color or is as predicted, each
/// color of a palette occurs and is another than the others, and each index is one of a color.
///
/// Left unsaid: which prediction a block has, lengths of codes for symbols that do not occur, which
/// libwebp writes where that makes a table shorter, and how an encoder chose among codes that mean the
/// same.
struct VP8LProof {
  /// What it says of data that ends before the last pixel.
  static let cut = "webp-vp8l-cut"

  private var reader: VP8LProofReader
  /// Of an alpha plane only green is looked at.
  private let isAlpha: Bool
  /// Whether a picture's alpha is looked at.
  private let hasAlpha: Bool
  private var width: Int
  private let height: Int
  private var hasPalette = false
  private var kinds = Set<Int>()
  private var transforms: [VP8LProofTransform] = []
  /// Which blocks are predicted, and by black.
  private var prediction: VP8LProofPrediction?

  /// Returns a VP8L chunk; gives size in pixels and whether it has alpha.
  static func verify(
    _ bytes: [UInt8], in payload: Range<Int>
  ) throws(ProofFailure) -> (width: Int, height: Int, hasAlpha: Bool) {
    try bytes.withUnsafeBufferPointer { buffer throws(ProofFailure) in
      var reader = VP8LProofReader(buffer, in: payload)
      guard reader.take(8) == 0x2F else { throw reader.failure("signature") }
      let width = reader.take(14) + 1
      let height = reader.take(14) + 1
      let hasAlpha = reader.take(1) == 1
      guard reader.take(3) == 0 else { throw reader.failure("version") }
      var proof = VP8LProof(reader, width, height, isAlpha: false, hasAlpha: hasAlpha)
      try proof.read()
      return (width, height, hasAlpha)
    }
  }

  /// Returns the data of an ALPH chunk, which has no head of its own; gives its rows to `plane`.
  static func verifyAlpha(
    in payload: Range<Int>, of bytes: [UInt8], width: Int, height: Int,
    plane: WebPProofAlpha? = nil
  ) throws(ProofFailure) -> WebPProofAlpha? {
    try bytes.withUnsafeBufferPointer { buffer throws(ProofFailure) in
      var proof = VP8LProof(
        VP8LProofReader(buffer, in: payload), width, height, isAlpha: true, hasAlpha: false)
      return try proof.read(plane)
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
  private mutating func read(
    _ plane: WebPProofAlpha? = nil
  ) throws(ProofFailure) -> WebPProofAlpha? {
    while reader.take(1) == 1 {
      let kind = reader.take(2)
      // Encoders write a palette first: what comes before would change its colors.
      guard kind != 3 || kinds.isEmpty, kinds.insert(kind).inserted else {
        throw reader.failure("transform")
      }
      try readTransform(kind)
    }
    let isGreenOnly = isAlpha || hasPalette
    // Unused red and blue are not made from green either.
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

  private mutating func readTransform(_ kind: Int) throws(ProofFailure) {
    switch kind {
    case 0, 1:
      let bits = reader.take(3) + 2
      let pixels = try subImage((width - 1) >> bits + 1, (height - 1) >> bits + 1)
      // A mode is in green; two differences of green and one of red are in all but alpha.
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
      // Pixels of the first row and column are predicted by their neighbor, whatever the mode.
      guard width > 1 && height > 1 || pixels.allSatisfy({ $0 == pixels[0] }) else {
        throw reader.failure("idle-mode")
      }
      prediction = VP8LProofPrediction(
        bits: bits, columns: (width - 1) >> bits + 1,
        isBlack: pixels.map { $0 >> 8 & 0xFF == 0 })
    case 2:
      transforms.append(.green)
    default:
      let count = reader.take(8) + 1
      let palette = try subImage(count, 1)
      // Each color but the first is a difference.
      guard !isAlpha || palette.allSatisfy({ $0 & 0x00FF_00FF == 0 }),
        hasAlpha
          || palette.dropFirst().allSatisfy({ $0 >> 24 == 0 })
            && [0, 255].contains(palette[0] >> 24)
      else { throw reader.failure("idle-channel") }
      var colors = palette
      for index in 1..<max(1, count) {
        colors[index] = VP8LProofRows.sum(colors[index], colors[index - 1])
      }
      // Which of two that show the same a pixel has would say something. After the last one comes
      // black without alpha, of which libwebp makes use.
      let shown: UInt32 = isAlpha ? 0xFF00 : hasAlpha ? .max : 0xFF_FFFF
      let distinct = Set(colors.map { $0 & shown })
      guard distinct.count == count else { throw reader.failure("twin-color") }
      if !distinct.contains(0) { colors.append(0) }
      transforms.append(.palette(colors, count: count, width: width))
      hasPalette = true
      width = (width - 1) >> Self.packing(count) + 1
    }
  }

  private mutating func subImage(_ width: Int, _ height: Int) throws(ProofFailure) -> [UInt32] {
    var image = VP8LProofImage(width: width, height: height)
    return try image.readPixels(&reader)
  }

  /// Returns the logarithm of the pixels that share a green (RFC 9649, 4.4).
  static func packing(_ colors: Int) -> Int {
    colors <= 2 ? 3 : colors <= 4 ? 2 : colors <= 16 ? 1 : 0
  }
}

/// Which blocks of a picture are predicted to be opaque black (RFC 9649, 4.1, mode 0).
struct VP8LProofPrediction {
  /// Logarithm of a block's side.
  var bits: Int
  /// Blocks in a row.
  var columns: Int
  var isBlack: [Bool]

  /// Returns whether black is what a pixel differs from: the very first one, and those of such
  /// blocks but in the first row and column.
  func isBlack(_ x: Int, _ y: Int) -> Bool {
    guard x > 0, y > 0 else { return x == y }
    return isBlack[(y >> bits) * columns + x >> bits]
  }
}
