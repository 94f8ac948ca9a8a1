import ImageContainers

/// The things a worker is asked for.
extension DecoderPool {
  /// Stages 1 to 3.
  func walked(_ received: ReceivedFile, policy: PhotoPolicy) throws(PhotoError) -> WalkedFacts {
    let answer = try ask(.inspect, received.bytes, sha256: received.sha256, policy: policy)
    return try DecoderJSON.decode(WalkedFacts.self, from: answer.json)
  }

  /// Stages 1 to 4.
  func decoded(
    _ received: ReceivedFile, policy: PhotoPolicy, leavesData: Bool, times: inout StageTimes
  ) throws(PhotoError) -> DecodedPhoto {
    let answer = try ask(
      leavesData ? .prepareForProof : .prepare, received.bytes, sha256: received.sha256, policy: policy,
      refused: { times += $0 })
    var facts = try DecoderJSON.decode(DecodedPhoto.Facts.self, from: answer.json)
    times += facts.times
    // The digest is of what we received, whatever a worker may say.
    facts.source.sha256 = received.sha256
    return DecodedPhoto(facts: facts, blob: answer.first, preview: answer.second)
  }

  /// The preview of a picture that the proof made small.
  ///
  /// - Parameter received: the photo, to know it again should its pixels crash the worker.
  func preview(
    of picture: SmallPicture, from received: ReceivedFile, policy: PhotoPolicy,
    times: inout StageTimes
  ) throws(PhotoError) -> PictureDecoder.Preview {
    let answer = try ask(
      .preview(width: picture.width, height: picture.height, bands: picture.bands),
      picture.pixels, sha256: received.sha256, policy: policy, refused: { times += $0 })
    let facts = try DecoderJSON.decode(PreviewFacts.self, from: answer.json)
    times += facts.times
    return PictureDecoder.Preview(
      bytes: answer.first, format: facts.format, perceptualHash: facts.perceptualHash)
  }

  /// SHA-256 of a picture of ours as pixels, 64 lower-case hexadecimal digits.
  func pixelDigest(of bytes: [UInt8], as format: ImageFormat) throws(PhotoError) -> String {
    let answer = try ask(
      .pixelDigest(format), bytes, sha256: sha256(of: bytes), policy: .init())
    return try DecoderJSON.decode(String.self, from: answer.json)
  }

  /// A picture of ours as pixels, at most `side` along its longer side.
  func raster(
    _ bytes: [UInt8], format: ImageFormat, side: Int
  ) throws(PhotoError) -> PictureRaster {
    let answer = try ask(
      .raster(format, side: side), bytes, sha256: sha256(of: bytes), policy: .init())
    let facts = try DecoderJSON.decode(RasterFacts.self, from: answer.json)
    let (width, height) = (facts.width, facts.height)
    guard (1...side).contains(width), (1...side).contains(height),
      answer.first.count == width * height * 3
    else { throw .fault(what: "decoder-answer") }
    return PictureRaster(width: width, height: height, rgb: answer.first)
  }
}
