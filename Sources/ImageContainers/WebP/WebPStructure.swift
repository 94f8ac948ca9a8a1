/// The known chunks (RFC 9649, 2.3 to 2.7; C2PA 2.1, A.3).
enum WebPTag: String {
  case vp8 = "VP8 "
  case vp8l = "VP8L"
  case vp8x = "VP8X"
  case alph = "ALPH"
  case anim = "ANIM"
  case anmf = "ANMF"
  case iccp = "ICCP"
  case exif = "EXIF"
  case xmp = "XMP "
  case c2pa = "C2PA"
}

/// One chunk. `payload` excludes the padding, `whole` includes header and padding.
struct WebPChunk {
  /// `nil` if no specification defines the chunk.
  var tag: WebPTag?
  var name: String
  var whole: Range<Int>
  var payload: Range<Int>

  /// The number of declared bytes that are missing in the file.
  var missing = 0
  /// `true` if the file ends inside the chunk.
  var isCut: Bool { missing > 0 }

  /// Parses a chunk that must end before the end of `reader`, unless the file may be truncated. The last one may lack
  /// its padding byte.
  init(_ reader: inout ByteReader, mayBeCut: Bool) throws(ContainerError) {
    let start = reader.offset
    name = try reader.fourCC("webp-chunk")
    tag = WebPTag(rawValue: name)
    let size = try reader.little(4, "webp-chunk")
    missing = max(0, size - reader.remaining)
    guard missing == 0 || mayBeCut else { throw .malformed("webp-chunk-size", offset: start) }
    payload = try reader.range(min(size, reader.remaining), for: "webp-chunk")
    if !size.isMultiple(of: 2), !reader.isAtEnd { reader.offset += 1 }
    whole = start..<reader.offset
  }
}

/// One picture of a WebP: VP8 with or without ALPH, or VP8L.
struct WebPFrame {
  /// The first 16 bytes of an ANMF chunk, before the picture. `nil` for a still picture.
  var header: Range<Int>?
  /// The size in pixels from the bitstream.
  var width, height: Int
  /// `true` if the frame's area is cleared before the next frame.
  var isDisposed = false
  var alpha: Range<Int>?
  var image: Range<Int>
  var isLossless: Bool
  var hasAlpha: Bool
}

/// The positions of a WebP's RIFF chunks around VP8 or VP8L data, found in one pass (RFC 9649).
///
/// The reader is as tolerant as libwebp's demuxer. It accepts the same orders of chunks, ignores EXIF and ICC unless
/// the VP8X flags announce them, and treats bytes after the RIFF chunk as a part. A truncated file is read to its last
/// pixel. An animation keeps the frames before the cut, with the loss `frames`.
struct WebPStructure {
  private(set) var width = 0
  private(set) var height = 0
  private(set) var frames: [WebPFrame] = []
  /// The six bytes of ANIM, or `nil` for a still picture.
  private(set) var animation: Range<Int>?
  private(set) var loopCount = 0
  /// `true` if the flags declare alpha, correctly or not. Decoders of animations rely on it.
  private(set) var announcesAlpha = false
  /// The profile and the EXIF block that the flags declare.
  private(set) var profile: Range<Int>?
  private(set) var exifRange: Range<Int>?
  /// All EXIF and XMP chunks, declared or not.
  private(set) var metadata: [WebPChunk] = []
  /// The parts that decoding doesn't need, in file order.
  private(set) var parts: [ContainerPart] = []

  /// The parts that are missing after the last pixel, and the losses of the animation.
  private(set) var repairs: [String] = []
  private(set) var losses: [String] = []
  /// The number of frames in the file, including those that are left out.
  private(set) var fileFrameCount = 0

  private let bytes: [UInt8]
  /// The size of the headers around a frame's data in bytes.
  private static var frameBytes: Int { 32 }
  private var chunkCount = 0
  /// `true` if a chunk may be longer than the remaining bytes. The missing bytes need not contain pixels.
  private let mayBeCut: Bool

  /// Parses a file without decoding pixels.
  ///
  /// - Throws: `incomplete` if pixels of the first picture are missing, `truncated` before it, `malformed`, or
  ///   `overLimit` for pixels, side and chunks.
  init(_ bytes: [UInt8], limits: ContainerLimits) throws(ContainerError) {
    var reader = ByteReader(bytes)
    guard try reader.fourCC("webp-riff") == "RIFF" else {
      throw .malformed("webp-signature", offset: 0)
    }
    let end = try reader.little(4, "webp-riff") + 8
    guard try reader.fourCC("webp-riff") == "WEBP" else {
      throw .malformed("webp-signature", offset: 8)
    }
    guard end < bytes.count else {
      try self.init(bytes, limits: limits, claimed: end)
      return
    }
    do throws(ContainerError) {
      try self.init(bytes, in: 12..<max(12, end), limits: limits)
    } catch {
      // A chunk that exceeds the RIFF size may still be complete in the file.
      switch error {
      case .malformed("webp-chunk-size", _), .truncated("webp-chunk", _):
        try self.init(bytes, limits: limits, claimed: end)
      default: throw error
      }
    }
  }

  /// Reads up to the end of the file and ignores the RIFF size.
  private init(
    _ bytes: [UInt8], limits: ContainerLimits, claimed end: Int
  ) throws(ContainerError) {
    try self.init(bytes, in: 12..<bytes.count, limits: limits)
    // The file ends between two chunks. If at least a frame's size is missing, frames were lost.
    if animation != nil, repairs.isEmpty, losses.isEmpty, end - bytes.count >= Self.frameBytes {
      losses = ["frames"]
    }
    if end != bytes.count { repairs = ["webp-size"] }
  }

  private init(
    _ bytes: [UInt8], in range: Range<Int>, limits: ContainerLimits
  ) throws(ContainerError) {
    self.bytes = bytes
    let end = range.upperBound
    mayBeCut = end == bytes.count
    var reader = ByteReader(bytes, in: range)
    let first = try next(&reader, limits)
    switch first.tag {
    case .vp8, .vp8l:
      let frame = try Self.frame(first, alpha: nil, in: bytes)
      width = frame.width
      height = frame.height
      try limits.check(width: width, height: height, offset: 12)
      try frame.checkWhole(in: bytes, ifCut: first)
      frames = [frame]
      while reader.remaining >= 8 { recordRemoval(try next(&reader, limits)) }
    case .vp8x:
      try readExtended(&reader, canvas: first, limits: limits)
    default:
      throw .malformed("webp-first-chunk", offset: 12)
    }
    fileFrameCount = max(fileFrameCount, frames.count)
    recordRemoval(.unknown, reader.offset..<reader.end, "RIFF")
    recordRemoval(.trailing, end..<bytes.count, "after RIFF")
    try limits.check(width: width, height: height, offset: 12)
  }

  /// Reads the data of each picture up to the last pixel. This takes as long as decoding, so it is only done if the
  /// proof finds something missing. In an animation, the frames before the first incomplete one are kept.
  mutating func keepWholeFrames(in bytes: [UInt8]) throws(ContainerError) {
    for (index, frame) in frames.enumerated() {
      do throws(ContainerError) { try frame.checkWhole(in: bytes) } catch {
        guard index > 0 else { throw error }
        frames.removeSubrange(index...)
        losses = ["frames"]
        return
      }
    }
  }

  private mutating func next(
    _ reader: inout ByteReader, _ limits: ContainerLimits
  ) throws(ContainerError) -> WebPChunk {
    chunkCount += 1
    // The remaining chunks are not counted for the error, because there may be millions.
    try limits.check(chunkCount, .chunks, upTo: limits.chunks)
    let chunk = try WebPChunk(&reader, mayBeCut: mayBeCut)
    if chunk.isCut { repairs = ["webp-size"] }
    return chunk
  }

  private mutating func recordRemoval(
    _ kind: ContainerPart.Kind, _ range: Range<Int>, _ origin: String
  ) {
    parts += RemovedBytes.parts(of: range, in: bytes, as: kind, origin: origin)
  }

  private mutating func recordRemoval(_ chunk: WebPChunk) {
    switch chunk.tag {
    case .exif: recordRemoval(.exif, chunk.whole, chunk.name)
    case .xmp: recordRemoval(.xmp, chunk.whole, chunk.name)
    case .iccp: recordRemoval(.colorProfile, chunk.whole, chunk.name)
    case .vp8x: recordRemoval(.application, chunk.whole, chunk.name)
    case .c2pa: recordRemoval(.contentCredentials, chunk.whole, chunk.name)
    default: recordRemoval(.unknown, chunk.whole, chunk.name)
    }
    if chunk.tag == .exif || chunk.tag == .xmp { metadata.append(chunk) }
  }
}

// MARK: - Extended form

extension WebPStructure {
  private struct Flags {
    static let profile = 0x20
    static let alpha = 0x10
    static let exif = 0x08
    static let animation = 0x02
  }

  /// The number of bytes of VP8X that have a meaning. libwebp skips surplus ones.
  private static var canvasBytes: Int { 10 }

  private mutating func readExtended(
    _ reader: inout ByteReader, canvas: WebPChunk, limits: ContainerLimits
  ) throws(ContainerError) {
    var header = ByteReader(reader.bytes, in: canvas.payload)
    let flags = try header.u8("webp-canvas")
    try header.skip(3, for: "webp-canvas")
    width = try header.little(3, "webp-canvas") + 1
    height = try header.little(3, "webp-canvas") + 1
    try limits.check(width: width, height: height, offset: canvas.whole.lowerBound)

    announcesAlpha = flags & Flags.alpha != 0
    let isAnimated = flags & Flags.animation != 0
    // VP8X is inserted at this place in the parts if the product needs no VP8X, which is known after the pictures have
    // been read.
    let canvasIndex = parts.count
    var hasAnimationChunk = false
    var alpha: WebPChunk?
    var lostFrames = 0
    while reader.remaining >= 8 {
      let chunk = try next(&reader, limits)
      switch chunk.tag {
      case .vp8x:
        throw .malformed("webp-second-canvas", offset: chunk.whole.lowerBound)
      case .vp8, .vp8l, .alph:
        guard !isAnimated, frames.isEmpty else {
          throw .malformed("webp-stray-picture", offset: chunk.whole.lowerBound)
        }
        if chunk.tag == .alph {
          if alpha == nil { alpha = chunk } else { recordRemoval(chunk) }
        } else {
          let frame = try Self.frame(chunk, alpha: alpha?.payload, in: reader.bytes)
          try frame.checkWhole(in: reader.bytes, ifCut: chunk)
          frames = [frame]
        }
      case .anim:
        hasAnimationChunk = true
        if isAnimated, animation == nil {
          try readAnimation(chunk, in: reader.bytes)
        } else {
          recordRemoval(chunk)
        }
      case .anmf:
        // libwebp's demuxer, which browsers use, rejects such a file, whether it is animated or not.
        guard hasAnimationChunk else {
          throw .malformed("webp-frame-before-anim", offset: chunk.whole.lowerBound)
        }
        if isAnimated {
          fileFrameCount += 1
          do throws(ContainerError) {
            try readFrame(chunk, in: reader.bytes, limits: limits)
          } catch {
            if case .overLimit = error { throw error }
            guard chunk.isCut, !frames.isEmpty else { throw error }
            if losses.isEmpty { losses = ["frames"] }
          }
        } else {
          recordRemoval(chunk)
        }
      case .iccp:
        if flags & Flags.profile != 0, profile == nil { profile = chunk.payload }
        recordRemoval(chunk)
      case .exif:
        if flags & Flags.exif != 0, exifRange == nil { exifRange = chunk.payload }
        recordRemoval(chunk)
      default:
        if isAnimated, isLostFrame(chunk) { lostFrames += 1 }
        recordRemoval(chunk)
      }
    }
    if lostFrames > 0, losses.isEmpty { losses = ["frames"] }
    fileFrameCount += lostFrames
    guard let first = frames.first else { throw .malformed("webp-no-picture", offset: 12) }
    if isAnimated || first.alpha != nil {
      let surplus = canvas.whole.count - 8 - Self.canvasBytes
      insertPart(at: canvasIndex, byteCount: surplus)
    } else {
      insertPart(at: canvasIndex, byteCount: canvas.whole.count)
    }
    if !isAnimated {
      guard first.width == width, first.height == height else {
        throw .malformed("webp-canvas", offset: 12)
      }
    }
  }

  /// Returns `true` if an unknown chunk contains a frame's picture, or extends over the rest of the file, which may
  /// contain frames.
  private func isLostFrame(_ chunk: WebPChunk) -> Bool {
    guard chunk.tag == nil else { return false }
    let name = bytes[chunk.payload].dropFirst(16).prefix(4)
    let isPicture = ["VP8 ", "VP8L", "ALPH"].contains { name.elementsEqual($0.utf8) }
    return isPicture || chunk.isCut && chunk.payload.count >= Self.frameBytes
  }

  private mutating func insertPart(at index: Int, byteCount: Int) {
    guard byteCount > 0 else { return }
    parts.insert(ContainerPart(.application, bytes: byteCount, origin: "VP8X"), at: index)
  }

  private mutating func readAnimation(
    _ chunk: WebPChunk, in bytes: [UInt8]
  ) throws(ContainerError) {
    var reader = ByteReader(bytes, in: chunk.payload)
    let start = reader.offset
    try reader.skip(4, for: "webp-anim")
    loopCount = try reader.little(2, "webp-anim")
    animation = start..<reader.offset
    recordRemoval(.unknown, reader.offset..<chunk.whole.upperBound, chunk.name)
  }

  private mutating func readFrame(
    _ chunk: WebPChunk, in bytes: [UInt8], limits: ContainerLimits
  ) throws(ContainerError) {
    var reader = ByteReader(bytes, in: chunk.payload)
    let start = chunk.whole.lowerBound
    let header = try reader.range(16, for: "webp-frame")
    var fields = ByteReader(bytes, in: header)
    let left = try fields.little(3, "webp-frame") * 2
    let top = try fields.little(3, "webp-frame") * 2
    let frameWidth = try fields.little(3, "webp-frame") + 1
    let frameHeight = try fields.little(3, "webp-frame") + 1
    guard losses.isEmpty, limits.allow(frames: frames.count + 1, width: width, height: height)
    else {
      // Only the first frame is kept. The others are counted.
      frames.removeSubrange(1...)
      losses = ["animation"]
      return
    }
    guard left + frameWidth <= width, top + frameHeight <= height else {
      throw .malformed("webp-frame-outside", offset: start)
    }
    var alpha: WebPChunk?
    var picture: WebPFrame?
    while reader.remaining >= 8 {
      let inner = try next(&reader, limits)
      switch inner.tag {
      case .alph where picture == nil && alpha == nil: alpha = inner
      case .vp8 where picture == nil, .vp8l where picture == nil:
        picture = try Self.frame(inner, alpha: alpha?.payload, in: bytes)
      default: recordRemoval(inner)
      }
    }
    recordRemoval(.unknown, reader.offset..<chunk.whole.upperBound, chunk.name)
    guard var frame = picture else { throw .malformed("webp-frame-empty", offset: start) }
    guard frame.width == frameWidth, frame.height == frameHeight else {
      throw .malformed("webp-frame-size", offset: start)
    }
    try frame.checkWhole(in: bytes, ifCut: chunk)
    frame.header = header
    frame.isDisposed = bytes[header.upperBound - 1] & 1 != 0
    frames.append(frame)
  }
}
