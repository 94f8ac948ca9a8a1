/// A builder of small WebPs, chunk by chunk. Bitstreams have valid headers and arbitrary bodies.
enum WebPBuilder {
  static func little(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(value >> (8 * $0) & 0xFF) }
  }

  static func riff(_ chunks: [UInt8]...) -> [UInt8] {
    let body = Array("WEBP".utf8) + chunks.flatMap { $0 }
    return Array("RIFF".utf8) + little(body.count, 4) + body
  }

  static func chunk(_ name: String, _ payload: [UInt8], pad: UInt8 = 0) -> [UInt8] {
    Array(name.utf8) + little(payload.count, 4) + payload
      + (payload.count.isMultiple(of: 2) ? [] : [pad])
  }

  /// Returns a key frame whose first partition has three bytes, with two bytes after it.
  static func lossy(_ width: Int, _ height: Int) -> [UInt8] {
    let payload =
      little(3 << 5 | 1 << 4, 3) + [0x9D, 0x01, 0x2A] + little(width, 2) + little(height, 2)
      + [1, 2, 3, 4, 5]
    return chunk("VP8 ", payload)
  }

  static func lossless(_ width: Int, _ height: Int, alpha: Bool = false) -> [UInt8] {
    let head = width - 1 | (height - 1) << 14 | (alpha ? 1 << 28 : 0)
    return chunk("VP8L", [0x2F] + little(head, 4) + [7, 8])
  }

  static func canvas(_ flags: UInt8, _ width: Int, _ height: Int) -> [UInt8] {
    chunk("VP8X", [flags, 0, 0, 0] + little(width - 1, 3) + little(height - 1, 3))
  }

  static let alpha = chunk("ALPH", [1, 2, 3])

  static func animation(loop: Int) -> [UInt8] {
    chunk("ANIM", [0, 0, 0, 0] + little(loop, 2))
  }

  static func frame(
    _ left: Int, _ top: Int, _ width: Int, _ height: Int, flags: UInt8 = 0,
    _ chunks: [UInt8]...
  ) -> [UInt8] {
    chunk(
      "ANMF",
      little(left / 2, 3) + little(top / 2, 3) + little(width - 1, 3) + little(height - 1, 3)
        + little(100, 3) + [flags] + chunks.flatMap { $0 })
  }

  static let still = riff(lossy(20, 10))
  static let stillWithAlpha = riff(canvas(0x10, 20, 10), alpha, lossy(20, 10))

  /// A picture with alpha and every chunk that can be dropped.
  static let full =
    riff(
      canvas(0x3C, 20, 10), chunk("ICCP", [1, 2, 3]), chunk("abcd", [4]), alpha, lossy(20, 10),
      chunk("EXIF", [5, 6]), chunk("XMP ", [7]), chunk("EXIF", [8])) + Array("tail".utf8)

  static let animated = riff(
    canvas(0x3E, 20, 10), chunk("ICCP", [1, 2]), animation(loop: 5),
    frame(0, 0, 20, 10, lossless(20, 10), chunk("abcd", [1])),
    frame(4, 2, 8, 6, flags: 0xF3, alpha, lossy(8, 6)), chunk("XMP ", [1, 2, 3]))
}
