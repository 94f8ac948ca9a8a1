import CJPEG

/// Encodes a JPEG from a few rows at a time or from planes. It uses the settings of `VipsPicture.encoded`, so equal
/// pixels produce equal bytes.
struct JPEGEncoder: ~Copyable {
  private let encoder: OpaquePointer
  private let rowBytes: Int

  /// Creates an encoder.
  ///
  /// - Parameters:
  ///   - quality: 1 to 100.
  ///   - subsampled: `true` if chroma has half the resolution in both directions.
  ///   - planes: the number of planes. 0 if the picture arrives in rows of RGB.
  init(
    width: Int, height: Int, quality: Int, subsampled: Bool, planes: Int = 0
  ) throws(PhotoError) {
    guard
      let encoder = petspot_jpeg_begin(
        Int32(clamping: width), Int32(clamping: height), Int32(quality), subsampled ? 1 : 0,
        Int32(planes))
    else { throw .fault(.jpegEncoder) }
    self.encoder = encoder
    rowBytes = width * 3
  }

  deinit { petspot_jpeg_free(encoder) }

  /// Adds the next rows: red, green and blue of each pixel, without padding.
  mutating func add(rows: UnsafeBufferPointer<UInt8>) throws(PhotoError) {
    guard petspot_jpeg_add(encoder, rows.baseAddress, rows.count / rowBytes) == 0 else {
      throw .fault(.jpegEncoder)
    }
  }

  /// Adds the whole picture: gray, or Y, Cb and Cr, where Cb and Cr have half the resolution.
  mutating func add(planes: [SmallPicture]) throws(PhotoError) {
    // A gray picture has one plane, so all three indices refer to it.
    let result = planes[0].pixels.withUnsafeBufferPointer { first in
      planes[planes.count / 2].pixels.withUnsafeBufferPointer { second in
        planes[planes.count - 1].pixels.withUnsafeBufferPointer { third in
          petspot_jpeg_add_planes(
            encoder, [first.baseAddress, second.baseAddress, third.baseAddress])
        }
      }
    }
    guard result == 0 else { throw .fault(.jpegEncoder) }
  }

  /// Completes the file after all rows have been added.
  consuming func finish() throws(PhotoError) -> [UInt8] {
    var bytes: UnsafePointer<UInt8>?
    var count = 0
    guard petspot_jpeg_end(encoder, &bytes, &count) == 0 else { throw .fault(.jpegEncoder) }
    return [UInt8](UnsafeBufferPointer(start: bytes, count: count))
  }
}
