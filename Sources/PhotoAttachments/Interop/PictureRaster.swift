public import ImageContainers

/// A small picture as pixels, for drawing in a terminal.
public struct PictureRaster: Sendable, Equatable {
  /// Pixels across.
  public var width: Int
  /// Pixels down.
  public var height: Int
  /// Red, green and blue of each pixel, row by row; `width * height * 3` bytes.
  public var rgb: [UInt8]

  /// Decodes the first frame of a blob or preview and shrinks it to fit.
  ///
  /// - Parameters:
  ///   - side: pixels along the longer side of the result, at most.
  ///   - decoders: worker processes to decode in; nil decodes in this process.
  /// - Throws: `PhotoError.corrupt` when it does not decode.
  public static func decode(
    _ bytes: [UInt8], format: ImageFormat, side: Int, decoders: DecoderPool? = nil
  ) throws(PhotoError) -> PictureRaster {
    if let decoders { return try decoders.raster(bytes, format: format, side: side) }
    try VipsRuntime.start(threads: 1)
    return try PictureDecoder.withPicture(bytes, as: format) { picture throws(PhotoError) in
      let small = try picture.shrunkReadingAll(side: side).fitted(to: side).inRGB()
      return PictureRaster(width: small.width, height: small.height, rgb: small.pixels)
    }
  }
}
