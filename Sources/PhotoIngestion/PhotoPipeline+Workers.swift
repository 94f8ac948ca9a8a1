package import ImageContainers

/// Each stage that decodes, in a worker where there are workers, else here.
extension PhotoPipeline {
  func walked(_ received: ReceivedFile) throws(PhotoError) -> WalkedFacts {
    if let decoders { return try decoders.walked(received, policy: policy) }
    return WalkedFacts(of: try Self.planned(received, policy: policy))
  }

  /// Keeps one worker for a photo up to its preview where a worker sees one photo only: a second one
  /// would cost as much as a small photo. Elsewhere another photo has it while this one is proved.
  func withDecoder<T>(
    _ body: (DecoderLease?) throws(PhotoError) -> T
  ) throws(PhotoError) -> T {
    guard let decoders, decoders.trust.photosPerWorker == 1 else { return try body(nil) }
    return try decoders.withDecoder { lease throws(PhotoError) in try body(lease) }
  }

  func decoded(
    _ received: ReceivedFile, _ depth: CleaningDepth, _ times: inout StageTimes,
    _ lease: DecoderLease?
  ) throws(PhotoError) -> DecodedPhoto {
    if let decoders {
      return try decoders.decoded(
        received, policy: policy, depth: depth, times: &times, of: lease)
    }
    var clock = StageClock()
    defer { times += clock.stop() }
    return try Self.decode(received, policy: policy, depth: depth) { stage, _ in
      clock.enter(stage)
    }
  }

  func preview(
    of picture: SmallPicture, from received: ReceivedFile, _ times: inout StageTimes,
    _ lease: DecoderLease?
  ) throws(PhotoError) -> DecodedPreview {
    // What fits is all that has to travel.
    let fitted = picture.fitted(to: policy.previewSide)
    if let decoders {
      return try decoders.preview(
        of: fitted, from: received, policy: policy, times: &times, of: lease)
    }
    var clock = StageClock(.preview)
    defer { times += clock.stop() }
    return try PictureDecoder.preview(of: fitted, policy: policy)
  }

  /// Makes sizes of a blob, proved as every picture is.
  ///
  /// - Parameter forms: sizes of the blob's ladder, in their formats; none twice.
  /// - Returns: a picture for each.
  /// - Throws: `PhotoError.corrupt` when the blob does not decode; `.fault` when a size breaks the promise.
  package func sizes(
    _ forms: [SizeForm], of blob: EncodedPicture
  ) throws(PhotoError) -> [EncodedPicture] {
    let made: [[UInt8]]
    if let decoders {
      made = try decoders.sizes(forms, of: blob, policy: policy)
    } else {
      try VipsRuntime.start(threads: policy.threadsPerPhoto)
      made = try PictureDecoder.sizes(
        forms, of: blob.bytes, as: blob.format, width: blob.pixelWidth, height: blob.pixelHeight,
        policy: policy)
    }
    var proved: [EncodedPicture] = []
    for (form, bytes) in zip(forms, made) {
      proved.append(
        try Prover.prove(
          try Prover.clean(bytes, as: form.format), format: form.format, width: form.size.width,
          height: form.size.height, frames: 1
        ).0)
    }
    return proved
  }

  /// SHA-256 of a stored picture's pixels with their size and bands: equal for pictures that look
  /// the same bit for bit, however they are coded.
  ///
  /// - Throws: `PhotoError.corrupt` when it does not decode.
  package func pixelDigest(
    of bytes: [UInt8], as format: ImageFormat
  ) throws(PhotoError) -> String {
    if let decoders { return try decoders.pixelDigest(of: bytes, as: format) }
    try VipsRuntime.start(threads: policy.threadsPerPhoto)
    return try PictureDecoder.pixelDigest(of: bytes, as: format)
  }
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
    if let decoders { return try decoders.raster(bytes, format: format, side: side) }
    try VipsRuntime.start(threads: 1)
    return try VipsPicture.reading(bytes, as: format) { picture throws(PhotoError) in
      let small = try picture.shrunkReadingAll(side: side).fitted(to: side).inRGB()
      return PictureRaster(width: small.width, height: small.height, rgb: small.pixels)
    }
  }
}

extension WalkedFacts {
  init(of photo: WalkedPhoto) {
    self.init(
      facts: photo.facts, colorProfile: photo.plan.colorProfile, plan: photo.plan.normalization,
      blobFormat: photo.plan.blobFormat)
  }
}
