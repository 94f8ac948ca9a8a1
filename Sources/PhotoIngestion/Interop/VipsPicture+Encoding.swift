import CVips
import ImageContainers

/// Encoding into memory.
extension VipsPicture {
  /// Encodes all frames without metadata, and without colors of pixels that are wholly transparent
  /// (decision 38).
  ///
  /// - Parameters:
  ///   - quality: 1 to 100 for JPEG and lossy WebP.
  ///   - subsampled: whether a JPEG's chroma may have half the resolution.
  ///   - lossless: whether a WebP keeps every pixel.
  func encoded(
    as format: ImageFormat, quality: Int, subsampled: Bool = true, lossless: Bool = false
  ) throws(PhotoError) -> [UInt8] {
    guard !hasAlpha || format == .jpeg else {
      return try Self.make("encode") { petspot_clear_hidden(image, $0) }.encodedAsIs(
        format, quality, subsampled, lossless)
    }
    return try encodedAsIs(format, quality, subsampled, lossless)
  }

  private func encodedAsIs(
    _ format: ImageFormat, _ quality: Int, _ subsampled: Bool, _ lossless: Bool
  ) throws(PhotoError) -> [UInt8] {
    var data: UnsafeMutableRawPointer?
    var count = 0
    let result =
      switch format {
      case .jpeg:
        petspot_save_jpeg(image, &data, &count, Int32(quality), subsampled ? 1 : 0)
      case .png: petspot_save_png(image, &data, &count)
      case .webp:
        petspot_save_webp(image, &data, &count, Int32(quality), lossless ? 1 : 0)
      case .gif, .heic: -1 as Int32  // never planned: GIF is carried over, HEIC becomes JPEG
      }
    guard result == 0, let data else {
      DecoderLog.note("encode", VipsRuntime.takeErrorText())
      // Decoding is lazy: damage that only shows in the pixels surfaces here.
      throw .corrupt(what: "decode")
    }
    defer { g_free(data) }
    return [UInt8](UnsafeRawBufferPointer(start: data, count: count))
  }
}
