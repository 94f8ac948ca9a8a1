/// Verifies each byte of a WebP (RFC 9649). The chunks must have a fixed order with nothing in between, each bitstream
/// is read to its last code, and fields that decoders ignore must be zero.
///
/// Fully transparent pixels must have no color, and in VP8 no picture.
///
/// Not checked: durations and blending without an effect, the loop count of a single frame, and everything that
/// `VP8Proof`, `WebPProofHidden` and `VP8LProof` don't check.
enum WebPProof {
  static func verify(_ bytes: [UInt8]) throws(ProofError) -> VerifiedPicture {
    var file = ByteReader(bytes)
    guard try file.name() == "RIFF", try file.number(4) == bytes.count - 8,
      try file.name() == "WEBP"
    else { throw ProofError("webp-riff", offset: 0) }
    let first = try Chunk(&file)
    var verified: VerifiedPicture
    if first.name == "VP8X" {
      verified = try extended(first, &file)
    } else {
      let size = try Self.picture(first, alpha: nil, in: bytes)
      verified = VerifiedPicture(width: size.width, height: size.height)
    }
    guard file.isAtEnd else { throw ProofError("webp-surplus", offset: file.offset) }
    verified.frameCount = max(1, verified.frameCount)
    return verified
  }

  /// Verifies VP8X with ALPH and VP8, or with ANIM and frames.
  private static func extended(
    _ canvas: Chunk, _ file: inout ByteReader
  ) throws(ProofError) -> VerifiedPicture {
    var fields = ByteReader(file.bytes, in: canvas.payload)
    let start = fields.offset
    let flags = try fields.number(4)
    let isAnimated = flags & 0x02 != 0
    let announcesAlpha = flags & 0x10 != 0
    guard flags & ~0x12 == 0 else { throw ProofError("webp-flags", offset: start) }
    let width = try fields.number(3) + 1
    let height = try fields.number(3) + 1
    guard fields.isAtEnd else { throw ProofError("webp-canvas", offset: fields.offset) }
    var verified = VerifiedPicture(width: width, height: height)

    if !isAnimated {
      let alpha = try Chunk(&file)
      guard alpha.name == "ALPH", announcesAlpha else {
        throw ProofError("webp-idle-canvas", offset: start)
      }
      let size = try picture(try Chunk(&file), alpha: alpha, in: file.bytes)
      guard size.width == width, size.height == height else {
        throw ProofError("webp-size", offset: start)
      }
      return verified
    }
    let animation = try Chunk(&file)
    guard animation.name == "ANIM", animation.payload.count == 6 else {
      throw ProofError("webp-anim", offset: animation.start)
    }
    var background = ByteReader(file.bytes, in: animation.payload)
    // Decoders ignore the background color and clear the canvas.
    guard try background.number(4) == 0 else {
      throw ProofError("webp-background", offset: animation.payload.lowerBound)
    }
    verified.frameCount = 0
    var pixels = 0
    while !file.isAtEnd {
      let frame = try Chunk(&file)
      let hasAlpha = try self.frame(
        frame, in: file.bytes, canvas: (width, height), pixels: &pixels)
      guard !hasAlpha || announcesAlpha else { throw ProofError("webp-flags", offset: start) }
      verified.frameCount += 1
    }
    guard verified.frameCount > 0 else { throw ProofError("webp-no-frame", offset: file.offset) }
    return verified
  }

  /// The maximum number of pixels of all frames, equal to that of one picture. Pixels may need no data, so without a
  /// limit a small file could take any amount of time.
  private static let maxPixels = 1 << 28

  /// Verifies an ANMF chunk: position, duration and one picture. Returns `true` if the picture has alpha.
  private static func frame(
    _ frame: Chunk, in bytes: [UInt8], canvas: (width: Int, height: Int), pixels: inout Int
  ) throws(ProofError) -> Bool {
    guard frame.name == "ANMF" else { throw ProofError("webp-chunk", offset: frame.start) }
    var reader = ByteReader(bytes, in: frame.payload)
    let left = try reader.number(3) * 2
    let top = try reader.number(3) * 2
    let width = try reader.number(3) + 1
    let height = try reader.number(3) + 1
    _ = try reader.number(3)  // milliseconds
    // Only the bits for blending and disposal have a meaning.
    guard try reader.number(1) & ~3 == 0 else {
      throw ProofError("webp-frame-flags", offset: reader.offset - 1)
    }
    guard left + width <= canvas.width, top + height <= canvas.height else {
      throw ProofError("webp-frame-outside", offset: frame.start)
    }
    pixels += width * height
    guard pixels <= maxPixels else { throw ProofError("webp-pixels", offset: frame.start) }
    var image = try Chunk(&reader)
    var alpha: Chunk?
    if image.name == "ALPH" {
      alpha = image
      image = try Chunk(&reader)
    }
    let size = try picture(image, alpha: alpha, in: bytes)
    guard size.width == width, size.height == height else {
      throw ProofError("webp-frame-size", offset: frame.start)
    }
    guard reader.isAtEnd else { throw ProofError("webp-frame-tail", offset: reader.offset) }
    return size.hasAlpha
  }

  /// Verifies a VP8 chunk and its preceding ALPH chunk, or a VP8L chunk. Returns the size and whether it has alpha.
  private static func picture(
    _ image: Chunk, alpha: Chunk?, in bytes: [UInt8]
  ) throws(ProofError) -> (width: Int, height: Int, hasAlpha: Bool) {
    switch image.name {
    case "VP8 ":
      let size = try VP8Proof.verify(bytes, in: image.payload)
      if let alpha {
        let hidden = try self.alpha(alpha.payload, of: (size.width, size.height), in: bytes)
        guard hidden.isFlat(size.filled) else {
          throw ProofError("webp-vp8-hidden", offset: image.start)
        }
      }
      return (size.width, size.height, alpha != nil)
    case "VP8L" where alpha == nil:
      return try VP8LProof.verify(bytes, in: image.payload)
    default:
      throw ProofError("webp-chunk", offset: image.start)
    }
  }

  /// Verifies an ALPH chunk (2.7.1.2), which has a byte with the coding, then a byte per pixel or VP8L data without
  /// header. Returns the macroblocks that it hides.
  private static func alpha(
    _ payload: Range<Int>, of size: (width: Int, height: Int), in bytes: [UInt8]
  ) throws(ProofError) -> WebPProofHidden {
    var reader = ByteReader(bytes, in: payload)
    let head = try reader.number(1)
    // Bits 4 and 5 describe the encoder's preprocessing, which doesn't affect pixels.
    guard head >> 4 == 0, head & 3 <= 1 else {
      throw ProofError("webp-alpha-head", offset: payload.lowerBound)
    }
    var plane = WebPProofAlpha(method: head >> 2 & 3, width: size.width, height: size.height)
    if head & 3 == 1 {
      plane =
        try VP8LProof.verifyAlpha(
          in: reader.offset..<payload.upperBound, of: bytes, width: size.width,
          height: size.height, plane: plane) ?? plane
    } else if reader.remaining == size.width * size.height {
      for start in stride(from: reader.offset, to: payload.upperBound, by: size.width) {
        plane.addRow(Array(bytes[start..<start + size.width]))
      }
    } else {
      throw ProofError("webp-alpha-size", offset: payload.lowerBound)
    }
    return plane.hidden
  }

  /// A chunk. A payload of odd size is followed by a zero.
  private struct Chunk {
    var name: String
    var start: Int
    var payload: Range<Int>

    init(_ reader: inout ByteReader) throws(ProofError) {
      start = reader.offset
      name = try reader.name()
      let size = try reader.number(4)
      guard size <= reader.remaining else { throw ProofError("webp-chunk-size", offset: start) }
      payload = reader.offset..<reader.offset + size
      reader.offset += size
      guard !size.isMultiple(of: 2) else { return }
      guard try reader.number(1) == 0 else {
        throw ProofError("webp-padding", offset: payload.upperBound)
      }
    }
  }
}

extension ByteReader {
  fileprivate mutating func name() throws(ProofError) -> String {
    do throws(ContainerError) { return try fourCC("") } catch {
      throw ProofError("webp-cut", offset: offset)
    }
  }

  fileprivate mutating func number(_ count: Int) throws(ProofError) -> Int {
    do throws(ContainerError) { return try little(count, "") } catch {
      throw ProofError("webp-cut", offset: offset)
    }
  }
}
