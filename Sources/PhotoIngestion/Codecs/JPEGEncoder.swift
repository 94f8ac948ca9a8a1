import CJPEG
import ImageContainers

/// Encodes a JPEG from a few rows at a time, with the settings of `VipsPicture.encoded`: the same pixels
/// give the same bytes.
struct JPEGEncoder: ~Copyable {
  private let encoder: OpaquePointer
  private let rowBytes: Int

  /// - Parameters:
  ///   - quality: 1 to 100.
  ///   - subsampled: whether chroma has half the resolution, both ways.
  init(width: Int, height: Int, quality: Int, subsampled: Bool) throws(PhotoError) {
    guard
      let encoder = petspot_jpeg_begin(
        Int32(clamping: width), Int32(clamping: height), Int32(quality), subsampled ? 1 : 0)
    else { throw .fault(.jpegEncoder) }
    self.encoder = encoder
    rowBytes = width * 3
  }

  deinit { petspot_jpeg_free(encoder) }

  /// Adds the next rows: red, green and blue of each pixel, without gaps.
  mutating func add(rows: UnsafeBufferPointer<UInt8>) throws(PhotoError) {
    guard petspot_jpeg_add(encoder, rows.baseAddress, rows.count / rowBytes) == 0 else {
      throw .fault(.jpegEncoder)
    }
  }

  /// Ends the file, once every row is added.
  consuming func finish() throws(PhotoError) -> [UInt8] {
    var bytes: UnsafePointer<UInt8>?
    var count = 0
    guard petspot_jpeg_end(encoder, &bytes, &count) == 0 else {
      throw .fault(.jpegEncoder)
    }
    return [UInt8](UnsafeBufferPointer(start: bytes, count: count))
  }
}
