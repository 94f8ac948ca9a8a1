import ImageContainers

/// The line every photo takes, one stage a step:
///
///     file → sniff → walk → probe → normalize → prove → store → record → status
///       0      1       2      3         4         5       6        7        8
///
/// `inspect` runs stages 0 to 3, `prepare` 0 to 5; `PhotoAttachmentCache` adds 6 to 8. Stages are
/// synchronous functions over values, so the same code runs here or in a worker process
/// (`decoders`). They block: call them from a `WorkerPool`, never from the cooperative pool.
public struct PhotoPipeline: Sendable {
  /// Limits and the normalized form.
  public var policy: PhotoPolicy
  /// Worker processes that run stages 1 to 4; nil runs them in this process, where a decoder's crash
  /// is the host's.
  public var decoders: DecoderPool?

  /// A pipeline with this policy.
  public init(policy: PhotoPolicy = .init(), decoders: DecoderPool? = nil) {
    self.policy = policy
    self.decoders = decoders
  }

  /// Tells what a photo is and what `prepare` would do with it.
  ///
  /// - Throws: `PhotoError` with the reason for a refusal; nothing is stored either way.
  public func inspect(_ source: PhotoSource) throws(PhotoError) -> PhotoInspection {
    let received = try Receiver.receive(source, limit: policy.fileBytes)  // 0
    let walked = try walked(received)  // 1 to 3
    return PhotoInspection(
      fileName: received.name, fileSizeBytes: received.bytes.count,
      extensionMatches: Self.extensionMatches(received.name, walked.facts.format),
      facts: walked.facts, colorProfile: walked.colorProfile, plan: walked.plan,
      blobFormat: walked.blobFormat)
  }

  /// Makes the normalized blob and preview in memory, proved and ready to store.
  ///
  /// - Throws: `PhotoError` with the reason for a refusal; nothing is stored either way.
  public func prepare(_ source: PhotoSource) throws(PhotoError) -> PreparedPhoto {
    var times = StageTimes()
    return try prepare(try Receiver.receive(source, limit: policy.fileBytes), &times)  // 0
  }

  /// The same from stage 1 on, for the import, which decides by the digest whether to go on.
  ///
  /// - Parameter times: what it takes is added here, also when the photo is refused.
  func prepare(
    _ received: ReceivedFile, _ times: inout StageTimes
  ) throws(PhotoError) -> PreparedPhoto {
    let photo = try decoded(received, &times)  // 1 to 4
    var clock = StageClock(.prove)
    defer { times += clock.stop() }
    let facts = photo.facts
    let blob = try Prover.prove(  // 5
      photo.blob, format: facts.blobFormat, width: facts.pixelWidth, height: facts.pixelHeight,
      frames: facts.blobFrames)
    let preview = try Prover.prove(
      preview: photo.preview, format: facts.previewFormat, side: policy.previewSide)
    return PreparedPhoto(
      fileName: received.name, fileSizeBytes: received.bytes.count, format: facts.format,
      pixelWidth: facts.pixelWidth, pixelHeight: facts.pixelHeight, source: facts.source,
      blob: blob, preview: preview, normalization: facts.normalization,
      perceptualHash: facts.perceptualHash)
  }

  /// SHA-256 of a stored picture's pixels with their size and bands: equal for pictures that look
  /// the same bit for bit, however they are coded.
  ///
  /// - Throws: `PhotoError.corrupt` when it does not decode.
  func pixelDigest(
    of bytes: [UInt8], as format: ImageFormat
  ) throws(PhotoError) -> String {
    if let decoders { return try decoders.pixelDigest(of: bytes, as: format) }
    try VipsRuntime.start(threads: policy.threadsPerPhoto)
    return try PictureDecoder.pixelDigest(of: bytes, as: format)
  }

  private func walked(_ received: ReceivedFile) throws(PhotoError) -> WalkedFacts {
    if let decoders { return try decoders.walked(received, policy: policy) }
    return WalkedFacts(of: try .walk(received, policy: policy))
  }

  private func decoded(
    _ received: ReceivedFile, _ times: inout StageTimes
  ) throws(PhotoError) -> DecodedPhoto {
    if let decoders { return try decoders.decoded(received, policy: policy, times: &times) }
    var clock = StageClock()
    defer { times += clock.stop() }
    return try .decode(received, policy: policy) { stage, _ in clock.enter(stage) }
  }

  private static func extensionMatches(_ name: String, _ format: ImageFormat) -> Bool {
    guard let dot = name.lastIndex(of: ".") else { return false }
    return format.fileExtensions.contains(name[name.index(after: dot)...].lowercased())
  }
}
