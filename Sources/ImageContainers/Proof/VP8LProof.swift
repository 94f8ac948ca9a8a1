/// Accounts for each byte of VP8L data (RFC 9649, 3): reads every code to the last pixel's, holds the
/// data to end there, and each prefix code, group and color of a palette to be used.
///
/// Channels that nobody looks at (all but green of an alpha plane and of places in a palette, alpha of
/// an opaque picture) have in each pixel the one value that makes them the same all over.
///
/// Left unsaid: which of two places with the same green is repeated, lengths of codes for symbols that do not occur, which libwebp writes where that
/// makes a table shorter, and how an encoder chose among codes that mean the same.
struct VP8LProof {
  private var reader: VP8LProofReader
  /// Of an alpha plane only green is looked at.
  private let isAlpha: Bool
  /// Whether a picture's alpha is looked at.
  private let hasAlpha: Bool
  private var width: Int
  private let height: Int
  /// Colors of the palette, nil without one.
  private var colors: Int?
  private var transforms = Set<Int>()
  /// Which blocks are predicted, and by black.
  private var prediction: VP8LProofPrediction?

  /// A VP8L chunk; gives size in pixels and whether it has alpha.
  static func account(
    for bytes: [UInt8], in payload: Range<Int>
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

  /// The data of an ALPH chunk, which has no head of its own.
  static func accountForAlpha(
    in payload: Range<Int>, of bytes: [UInt8], width: Int, height: Int
  ) throws(ProofFailure) {
    try bytes.withUnsafeBufferPointer { buffer throws(ProofFailure) in
      var proof = VP8LProof(
        VP8LProofReader(buffer, in: payload), width, height, isAlpha: true, hasAlpha: false)
      try proof.read()
    }
  }

  private init(
    _ reader: VP8LProofReader, _ width: Int, _ height: Int, isAlpha: Bool, hasAlpha: Bool
  ) {
    (self.reader, self.width, self.height) = (reader, width, height)
    (self.isAlpha, self.hasAlpha) = (isAlpha, hasAlpha)
  }

  private mutating func read() throws(ProofFailure) {
    while reader.take(1) == 1 {
      let kind = reader.take(2)
      // Encoders write a palette first: what comes before would change its colors.
      guard kind != 3 || transforms.isEmpty, transforms.insert(kind).inserted else {
        throw reader.failure("transform")
      }
      try readTransform(kind)
    }
    let isGreenOnly = isAlpha || colors != nil
    // Red and blue that nobody looks at are not made from green either.
    guard !isGreenOnly || transforms.isDisjoint(with: [1, 2]) else {
      throw reader.failure("idle-channel")
    }
    var image = VP8LProofImage(width: width, height: height)
    let greens = try image.readCoded(
      &reader, isGreenOnly: isGreenOnly, hasAlpha: hasAlpha && !isGreenOnly, prediction)
    try checkPalette(greens)
    try reader.checkEnd()
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
      guard kind == 0 else { return }
      // Pixels of the first row and column are predicted by their neighbor, whatever the mode.
      guard width > 1 && height > 1 || pixels.allSatisfy({ $0 == pixels[0] }) else {
        throw reader.failure("idle-mode")
      }
      prediction = VP8LProofPrediction(
        bits: bits, columns: (width - 1) >> bits + 1,
        isBlack: pixels.map { $0 >> 8 & 0xFF == 0 })
    case 2:
      break
    default:
      let count = reader.take(8) + 1
      let palette = try subImage(count, 1)
      // Each color but the first is a difference.
      guard !isAlpha || palette.allSatisfy({ $0 & 0x00FF_00FF == 0 }),
        hasAlpha
          || palette.dropFirst().allSatisfy({ $0 >> 24 == 0 })
            && [0, 255].contains(palette[0] >> 24)
      else { throw reader.failure("idle-channel") }
      colors = count
      width = (width - 1) >> packing(count) + 1
    }
  }

  private mutating func subImage(_ width: Int, _ height: Int) throws(ProofFailure) -> [UInt32] {
    var image = VP8LProofImage(width: width, height: height)
    return try image.readPixels(&reader)
  }

  /// Logarithm of the pixels that share a green (RFC 9649, 4.4).
  private func packing(_ colors: Int) -> Int {
    colors <= 2 ? 3 : colors <= 4 ? 2 : colors <= 16 ? 1 : 0
  }

  /// Each color occurs. Where pixels are predicted as well, only all of decoding would tell.
  private func checkPalette(_ greens: [Bool]) throws(ProofFailure) {
    guard let colors, transforms == [3] else { return }
    let bits = 8 >> packing(colors)
    var isUsed = [Bool](repeating: false, count: 256)
    for (green, occurs) in greens.enumerated() where occurs {
      for place in stride(from: 0, to: 8, by: bits) {
        isUsed[green >> place & (1 << bits - 1)] = true
      }
    }
    guard !isUsed[..<colors].contains(false) else { throw reader.failure("idle-color") }
  }
}

/// Which blocks of a picture are predicted to be opaque black (RFC 9649, 4.1, mode 0).
struct VP8LProofPrediction {
  /// Logarithm of a block's side.
  var bits: Int
  /// Blocks in a row.
  var columns: Int
  var isBlack: [Bool]

  /// Whether black is what a pixel differs from: the very first one, and those of such blocks but in
  /// the first row and column.
  func isBlack(_ x: Int, _ y: Int) -> Bool {
    guard x > 0, y > 0 else { return x == y }
    return isBlack[(y >> bits) * columns + x >> bits]
  }
}
