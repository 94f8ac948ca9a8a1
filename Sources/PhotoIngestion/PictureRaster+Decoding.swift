package import ImageContainers

extension PictureRaster {
  /// Decodes the first frame of a blob or preview, or a HEIC original with libde265, and shrinks it to fit.
  ///
  /// - Parameters:
  ///   - side: The maximum length of the result's longer side in pixels.
  ///   - decoding: The place where it is decoded.
  /// - Throws: `PhotoError.corrupt` if the picture doesn't decode, `.unsupportedFormat` if libde265 is missing.
  package static func decode(
    _ bytes: [UInt8], format: ImageFormat, side: Int, decoding: PhotoDecoding
  ) throws(PhotoError) -> PictureRaster {
    try PhotoError.mapping {
      let answer = try PhotoPipeline(decoding: decoding).decoder.answer(
        .raster(format, side: side), about: bytes, sha256: sha256(of: bytes))
      guard case .raster(let width, let height) = answer.facts, (1...side).contains(width),
        (1...side).contains(height), answer.first.count == width * height * 3
      else { throw PhotoError.fault(.decoderAnswer) }
      return PictureRaster(width: width, height: height, rgb: answer.first)
    }
  }
}
