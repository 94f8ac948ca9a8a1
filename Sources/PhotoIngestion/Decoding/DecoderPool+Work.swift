import ImageContainers

/// The things a worker is asked for.
extension DecoderPool {
  /// Stages 1 to 3.
  func walked(_ received: ReceivedFile, policy: PhotoPolicy) throws(PhotoError) -> WalkedFacts {
    try withDecoder { lease throws(PhotoError) in
      let answer = try ask(
        .inspect, received.bytes, sha256: received.sha256, policy: policy, of: lease)
      return try decoded(WalkedFacts.self, in: answer)
    }
  }

  /// Stages 1 to 4.
  func decoded(
    _ received: ReceivedFile, policy: PhotoPolicy, depth: CleaningDepth, times: inout StageTimes,
    of lease: DecoderLease? = nil
  ) throws(PhotoError) -> DecodedPhoto {
    var taken = StageTimes()
    defer { times += taken }
    return try withDecoder(lease) { lease throws(PhotoError) in
      let answer = try ask(
        .prepare(depth), received.bytes, sha256: received.sha256, policy: policy, of: lease,
        refused: { taken += $0 })
      var facts = try decoded(DecodedPhoto.Facts.self, in: answer)
      taken += facts.times
      try ResponseCheck.check(facts, against: received.bytes, policy: policy)
      // The digest is of what we received, whatever a worker may say.
      facts.source.sha256 = received.sha256
      return DecodedPhoto(facts: facts, blob: answer.first, preview: answer.second)
    }
  }

  /// The preview of a picture that the proof made small.
  ///
  /// - Parameter received: the photo, to know it again should its pixels crash the worker.
  func preview(
    of picture: SmallPicture, from received: ReceivedFile, policy: PhotoPolicy,
    times: inout StageTimes, of lease: DecoderLease? = nil
  ) throws(PhotoError) -> DecodedPreview {
    var taken = StageTimes()
    defer { times += taken }
    return try withDecoder(lease) { lease throws(PhotoError) in
      let answer = try ask(
        .preview(width: picture.width, height: picture.height, bands: picture.bands),
        picture.pixels, sha256: received.sha256, policy: policy, of: lease,
        refused: { taken += $0 })
      let facts = try decoded(PreviewFacts.self, in: answer)
      taken += facts.times
      return DecodedPreview(
        bytes: answer.first, format: facts.format, perceptualHash: facts.perceptualHash)
    }
  }

  /// Sizes of a blob, one for each form.
  func sizes(
    _ forms: [SizeForm], of blob: EncodedPicture, policy: PhotoPolicy
  ) throws(PhotoError) -> [[UInt8]] {
    let isOrdinary = blob.pixelWidth * blob.pixelHeight < Self.largePixels
    return try withDecoder(isOrdinary: isOrdinary) { lease throws(PhotoError) in
      let answer = try ask(
        .sizes(forms, blob.format, width: blob.pixelWidth, height: blob.pixelHeight), blob.bytes,
        sha256: blob.sha256, policy: policy, of: lease)
      let counts = try decoded([Int].self, in: answer)
      let most = answer.first.count
      guard counts.count == forms.count, counts.allSatisfy({ (0...most).contains($0) }),
        counts.reduce(0, +) == most
      else { throw .fault(.decoderAnswer) }
      var rest = answer.first[...]
      return counts.map { count in
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
      }
    }
  }

  /// SHA-256 of a stored picture as pixels, 64 lower-case hexadecimal digits.
  func pixelDigest(of bytes: [UInt8], as format: ImageFormat) throws(PhotoError) -> String {
    try withDecoder { lease throws(PhotoError) in
      let answer = try ask(
        .pixelDigest(format), bytes, sha256: sha256(of: bytes), policy: .init(), of: lease)
      return try decoded(String.self, in: answer)
    }
  }

  /// A stored picture as pixels, at most `side` along its longer side.
  func raster(
    _ bytes: [UInt8], format: ImageFormat, side: Int
  ) throws(PhotoError) -> PictureRaster {
    try withDecoder { lease throws(PhotoError) in
      let answer = try ask(
        .raster(format, side: side), bytes, sha256: sha256(of: bytes), policy: .init(), of: lease)
      let facts = try decoded(RasterFacts.self, in: answer)
      let (width, height) = (facts.width, facts.height)
      guard (1...side).contains(width), (1...side).contains(height),
        answer.first.count == width * height * 3
      else { throw .fault(.decoderAnswer) }
      return PictureRaster(width: width, height: height, rgb: answer.first)
    }
  }

  /// What an answer says; a genuine worker always makes sense.
  private func decoded<T: Decodable>(_: T.Type, in answer: DecoderMessage) throws(PhotoError) -> T {
    guard let facts = try? DecoderJSON.decode(T.self, from: answer.json) else {
      throw .fault(.decoderAnswer)
    }
    return facts
  }
}
