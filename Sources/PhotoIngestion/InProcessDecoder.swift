import ImageContainers

/// Decodes in this process, so a crash of the decoder ends the caller too. Used by workers in their sandbox, and for
/// trusted photos.
struct InProcessDecoder: Decoding {
  func withLease<T>(_ body: (DecoderLease?) throws -> T) throws -> T { try body(nil) }

  func answer(
    _ request: DecoderRequest, about bytes: [UInt8], sha256: String, of lease: DecoderLease?,
    times: inout StageTimes
  ) throws -> DecoderAnswer {
    var clock = StageClock()
    defer { times += clock.stop() }
    return try Self.answer(request, about: bytes) { stage, _ in clock.enter(stage) }
  }

  /// Handles a request.
  ///
  /// - Parameter onStage: a closure called when a stage begins.
  static func answer(
    _ request: DecoderRequest, about bytes: [UInt8], onStage: (PhotoStage, ImageFacts?) -> Void
  ) throws -> DecoderAnswer {
    let policy = request.policy
    try VipsRuntime.start(threads: policy.threadsPerPhoto)
    // The caller keeps the name and digest, because decoding does not depend on them.
    let received = ReceivedFile(bytes: bytes, sha256: "")
    switch request.work {
    case .inspect(let decodes):
      let photo = try PhotoPipeline.planned(
        received, policy: policy, decodes: decodes, onStage: onStage)
      return DecoderAnswer(
        facts: .inspect(
          ParsedFacts(
            facts: photo.facts, colorProfile: photo.plan.colorProfile,
            plan: photo.plan.normalization, blobFormat: photo.plan.blobFormat)))
    case .prepare(let depth):
      let photo = try PhotoPipeline.decode(
        received, policy: policy, depth: depth, onStage: onStage)
      return DecoderAnswer(facts: .prepare(photo.facts), first: photo.blob, second: photo.preview)
    case .preview(let width, let height, let bands):
      onStage(.preview, nil)
      let picture = SmallPicture(pixels: bytes, width: width, height: height, bands: bands)
      let preview = try PictureDecoder.preview(of: picture, policy: policy)
      return DecoderAnswer(
        facts: .preview(preview.format, perceptualHash: preview.perceptualHash),
        first: preview.bytes)
    case .size(let form, let format, let width, let height):
      onStage(.decode, ImageFacts(format: format, storedWidth: width, storedHeight: height))
      let made = try PictureDecoder.size(
        form, of: bytes, as: format, width: width, height: height, policy: policy)
      return DecoderAnswer(facts: .size, first: made)
    case .pixelDigest(let format):
      return DecoderAnswer(
        facts: .pixelDigest(try PictureDecoder.pixelDigest(of: bytes, as: format)))
    case .raster(let format, let side):
      func answer(_ picture: borrowing VipsPicture) throws -> DecoderAnswer {
        let small = try picture.shrunkReadingAll(side: side).fitted(to: side).onWhite().inRGB()
        return DecoderAnswer(
          facts: .raster(width: small.width, height: small.height), first: small.pixels)
      }
      return format == .heic
        ? try PictureDecoder.byLibde265(bytes, policy: policy, answer)
        : try VipsPicture.reading(bytes, as: format, answer)
    }
  }
}
