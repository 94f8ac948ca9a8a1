extension WebPStructure {
  /// Parses the header of a VP8 or VP8L chunk and of the preceding ALPH chunk.
  static func frame(
    _ chunk: WebPChunk, alpha: Range<Int>?, in bytes: [UInt8]
  ) throws(ContainerError) -> WebPFrame {
    var reader = ByteReader(bytes, in: chunk.payload)
    if chunk.tag == .vp8l {
      guard alpha == nil else {
        throw .malformed("webp-alpha-of-lossless", offset: chunk.whole.lowerBound)
      }
      return try lossless(&reader)
    }
    var frame = try lossy(&reader)
    if let alpha {
      try checkAlpha(ByteReader(bytes, in: alpha), pixels: frame.width * frame.height)
      frame.alpha = alpha
      frame.hasAlpha = true
    }
    return frame
  }

  /// Parses the frame header of a VP8 key frame (RFC 6386, 9.1).
  private static func lossy(_ reader: inout ByteReader) throws(ContainerError) -> WebPFrame {
    let payload = reader.offset..<reader.end
    let tag = try reader.little(3, "webp-vp8")
    let isKeyFrame = tag & 1 == 0
    let version = tag >> 1 & 7
    let isShown = tag >> 4 & 1 == 1
    let firstPartition = tag >> 5
    guard isKeyFrame, version <= 3, isShown else {
      throw .malformed("webp-vp8-frame", offset: payload.lowerBound)
    }
    guard try reader.big(3, "webp-vp8") == 0x9D012A else {
      throw .malformed("webp-vp8-start-code", offset: payload.lowerBound)
    }
    // The upper two bits request scaling, which browsers ignore.
    let width = try reader.little(2, "webp-vp8") & 0x3FFF
    let height = try reader.little(2, "webp-vp8") & 0x3FFF
    guard width > 0, height > 0 else { throw .malformed("zero-size", offset: payload.lowerBound) }
    try reader.require(firstPartition, for: "webp-vp8-partition")
    return WebPFrame(
      width: width, height: height, image: payload, isLossless: false, hasAlpha: false)
  }

  /// Parses the header of a VP8L bitstream (RFC 9649, 3.4).
  private static func lossless(_ reader: inout ByteReader) throws(ContainerError) -> WebPFrame {
    let payload = reader.offset..<reader.end
    guard try reader.u8("webp-vp8l") == 0x2F else {
      throw .malformed("webp-vp8l-signature", offset: payload.lowerBound)
    }
    let head = try reader.little(4, "webp-vp8l")
    guard head >> 29 == 0 else { throw .malformed("webp-vp8l-version", offset: payload.lowerBound) }
    return WebPFrame(
      width: head & 0x3FFF + 1, height: head >> 14 & 0x3FFF + 1, image: payload,
      isLossless: true, hasAlpha: head >> 28 & 1 == 1)
  }

  /// Checks the header of an ALPH chunk (RFC 9649, 2.7.1.2). Rejects what libwebp rejects, and raw data that is shorter
  /// than the picture.
  private static func checkAlpha(_ data: ByteReader, pixels: Int) throws(ContainerError) {
    var reader = data
    let head = try reader.u8("webp-alpha")
    let compression = head & 3
    guard compression <= 1, head >> 4 & 3 <= 1, head >> 6 <= 1 else {
      throw .malformed("webp-alpha", offset: data.offset)
    }
    try reader.require(compression == 0 ? pixels : 1, for: "webp-alpha")
  }
}
