import CJPEG

/// Encodes a JPEG from a few rows at a time or from planes, with the settings of `VipsPicture.encoded`: the
/// same pixels give the same bytes.
struct JPEGEncoder: ~Copyable {
  private let encoder: OpaquePointer
  private let rowBytes: Int

  /// - Parameters:
  ///   - quality: 1 to 100.
  ///   - subsampled: whether chroma has half the resolution, both ways.
  ///   - planes: how many planes the picture comes in; none where it comes in rows of RGB.
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

  /// Adds the next rows: red, green and blue of each pixel, without gaps.
  mutating func add(rows: UnsafeBufferPointer<UInt8>) throws(PhotoError) {
    guard petspot_jpeg_add(encoder, rows.baseAddress, rows.count / rowBytes) == 0 else {
      throw .fault(.jpegEncoder)
    }
  }

  /// Adds the whole picture: gray, or Y, Cb and Cr, these two with half the resolution.
  mutating func add(planes: [SmallPicture]) throws(PhotoError) {
    // Of gray the first is all three.
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

  /// Ends the file, once every row is added.
  consuming func finish() throws(PhotoError) -> [UInt8] {
    var bytes: UnsafePointer<UInt8>?
    var count = 0
    guard petspot_jpeg_end(encoder, &bytes, &count) == 0 else { throw .fault(.jpegEncoder) }
    return [UInt8](UnsafeBufferPointer(start: bytes, count: count))
  }
}
