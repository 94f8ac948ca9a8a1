package import ImageContainers

/// A small picture as pixels, for drawing in a terminal.
public struct PictureRaster: Sendable, Equatable {
  /// Pixels across.
  public var width: Int
  /// Pixels down.
  public var height: Int
  /// Red, green and blue of each pixel, row by row; `width * height * 3` bytes.
  public var rgb: [UInt8]
}

extension PictureRaster {
  /// Decodes the first frame of a blob or preview and shrinks it to fit.
  ///
  /// - Parameters:
  ///   - side: pixels along the longer side of the result, at most.
  ///   - decoders: worker processes to decode in; nil decodes in this process.
  /// - Throws: `PhotoError.corrupt` when it does not decode.
  package static func decode(
    _ bytes: [UInt8], format: ImageFormat, side: Int, decoders: DecoderPool?
  ) throws(PhotoError) -> PictureRaster {
    try PhotoError.mapping {
      let answer = try PhotoPipeline(decoders: decoders).decoder.answer(
        .raster(format, side: side), about: bytes, sha256: sha256(of: bytes))
      guard case .raster(let width, let height) = answer.facts, (1...side).contains(width),
        (1...side).contains(height), answer.first.count == width * height * 3
      else { throw PhotoError.fault(.decoderAnswer) }
      return PictureRaster(width: width, height: height, rgb: answer.first)
    }
  }
}
