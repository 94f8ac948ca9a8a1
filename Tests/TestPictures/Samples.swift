import ImageContainers
package import PhotoIngestion

extension EncodedPicture {
  /// Returns a valid PNG of one pixel in one of 2^24 colors, so each number gives different bytes.
  ///
  /// - Parameter apart: splits the data into two blocks, to get different bytes for the same pixel.
  package static func png(_ color: Int, apart: Bool = false) -> EncodedPicture {
    let pixel = [0, UInt8(color >> 16 & 255), UInt8(color >> 8 & 255), UInt8(color & 255)]
    // zlib with one stored block (RFC 1950, RFC 1951).
    let stored: [UInt8] =
      apart
      ? [0x78, 0x01, 0, 2, 0, 0xFD, 0xFF] + pixel[..<2] + [1, 2, 0, 0xFD, 0xFF] + pixel[2...]
      : [0x78, 0x01, 0x01, 4, 0, 0xFB, 0xFF] + pixel
    var (a, b) = (UInt32(1), UInt32(0))
    for byte in pixel {
      a = (a + UInt32(byte)) % 65521
      b = (b + a) % 65521
    }
    let header = bigEndian(1) + bigEndian(1) + [8, 2, 0, 0, 0]
    return picture(
      [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunk("IHDR", header)
        + chunk("IDAT", stored + bigEndian(b << 16 | a)) + chunk("IEND", []))
  }

  /// A PNG of one pixel with a valid chunk structure but invalid compressed data.
  package static let pngWithoutPixels: EncodedPicture = {
    let header = bigEndian(1) + bigEndian(1) + [8, 2, 0, 0, 0]
    return picture(
      [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunk("IHDR", header)
        + chunk("IDAT", [1, 2, 3, 4]) + chunk("IEND", []))
  }()

  /// Returns bytes of the requested count that aren't a picture.
  package static func bulk(_ count: Int) -> EncodedPicture {
    picture([UInt8](repeating: 7, count: count))
  }

  private static func picture(_ bytes: [UInt8]) -> EncodedPicture {
    EncodedPicture(
      bytes: bytes, format: .png, pixelWidth: 1, pixelHeight: 1, frameCount: 1,
      sha256: PhotoIngestion.sha256(of: bytes))
  }

  private static func chunk(_ type: String, _ body: [UInt8]) -> [UInt8] {
    let checked = Array(type.utf8) + body
    var crc = UInt32.max
    for byte in checked {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
    }
    return bigEndian(UInt32(body.count)) + checked + bigEndian(~crc)
  }

  private static func bigEndian(_ value: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(value >> $0 & 255) }
  }
}

extension PreparedPhoto {
  /// Returns a photo whose blob is PNG `color` and whose preview is PNG `color + 1000`.
  package static func sample(_ color: Int, fileName: String = "rex.heic") -> PreparedPhoto {
    PreparedPhoto(
      facts: PhotoFacts(
        fileName: fileName, fileSizeBytes: 1234, format: .heic, pixelWidth: 3024, pixelHeight: 4032,
        source: SourceFacts(
          sha256: sha256(of: [UInt8(color & 255), UInt8(color >> 8 & 255)]), orientation: 6,
          frameCount: 1, hasAlpha: true, colorProfile: "Display P3",
          capturedAt: "2026-05-01T12:00:00+02:00", hasLocation: true),
        normalization: Normalization(
          method: .reEncoded, reasons: [.orientation, .format], losses: ["depth-map"],
          repairs: ["heif-multi-cdsc"], removed: [.init(kind: "exif", bytes: 2048)])),
      blob: .png(color), preview: .png(color + 1000))
  }
}
