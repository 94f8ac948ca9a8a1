import ImageContainers

/// The line every photo takes, one stage a step:
///
///     file → sniff → walk → probe → normalize → prove → store → record → status
///       0      1       2      3         4         5       6        7        8
///
/// `inspect` runs stages 0 to 3, `prepare` 0 to 5; `PhotoAttachmentCache` adds 6 to 8. Stages are
/// synchronous functions over values, so the same code runs here or in a worker process. They
/// block: call them from a `WorkerPool`, never from the cooperative pool.
public struct PhotoPipeline: Sendable {
  /// Limits and the normalized form.
  public var policy: PhotoPolicy

  /// A pipeline with this policy.
  public init(policy: PhotoPolicy = .init()) { self.policy = policy }

  /// Tells what a photo is and what `prepare` would do with it.
  ///
  /// - Throws: `PhotoError` with the reason for a refusal; nothing is stored either way.
  public func inspect(_ source: PhotoSource) throws(PhotoError) -> PhotoInspection {
    let photo = try walked(try Receiver.receive(source, limit: policy.fileBytes))
    return PhotoInspection(
      fileName: photo.received.name, fileSizeBytes: photo.received.bytes.count,
      extensionMatches: Self.extensionMatches(photo.received.name, photo.facts.format),
      facts: photo.facts, colorProfile: photo.plan.colorProfile, plan: photo.plan.normalization)
  }

  /// Makes the normalized blob and preview in memory, proved and ready to store.
  ///
  /// - Throws: `PhotoError` with the reason for a refusal; nothing is stored either way.
  public func prepare(_ source: PhotoSource) throws(PhotoError) -> PreparedPhoto {
    try prepare(try Receiver.receive(source, limit: policy.fileBytes))
  }

  /// The same from stage 1 on, for the import, which decides by the digest whether to go on.
  func prepare(_ received: ReceivedFile) throws(PhotoError) -> PreparedPhoto {
    let photo = try walked(received)
    let facts = photo.facts
    let product = try Normalizer.normalize(photo, policy: policy)  // 4
    let blob = try Prover.prove(  // 5
      product.blob, format: photo.plan.blobFormat, width: facts.uprightWidth,
      height: facts.uprightHeight, frames: photo.plan.blobFrames(of: facts))
    let preview = try Prover.prove(preview: product.preview, side: policy.previewSide)
    return PreparedPhoto(
      fileName: photo.received.name, fileSizeBytes: photo.received.bytes.count,
      format: facts.format, pixelWidth: facts.uprightWidth, pixelHeight: facts.uprightHeight,
      source: SourceFacts(
        sha256: photo.received.sha256, orientation: facts.orientation,
        frameCount: facts.frameCount, hasAlpha: facts.hasAlpha,
        colorProfile: photo.plan.colorProfile, capturedAt: facts.exif?.capturedAt,
        hasLocation: facts.hasLocation),
      blob: blob, preview: preview, normalization: photo.plan.normalization,
      perceptualHash: product.preview.perceptualHash)
  }

  /// SHA-256 of a stored picture's pixels with their size and bands: equal for pictures that look
  /// the same bit for bit, however they are coded.
  ///
  /// - Throws: `PhotoError.corrupt` when it does not decode.
  func pixelDigest(
    of bytes: [UInt8], as format: ImageFormat
  ) throws(PhotoError) -> String {
    try VipsRuntime.start(threads: policy.threadsPerPhoto)
    return try PictureDecoder.pixelDigest(of: bytes, as: format)
  }

  /// Stages 1 to 3.
  private func walked(_ received: ReceivedFile) throws(PhotoError) -> WalkedPhoto {
    try VipsRuntime.start(threads: policy.threadsPerPhoto)
    let format = try Sniffer.sniff(received.bytes)  // 1
    let (facts, clean) = try Walker.walk(received.bytes, as: format, limits: policy.limits)  // 2
    try Prober.check(facts, clean: clean)  // 3
    return WalkedPhoto(
      received: received, facts: facts, plan: NormalizationPlan(for: facts), clean: clean)
  }

  private static func extensionMatches(_ name: String, _ format: ImageFormat) -> Bool {
    guard let dot = name.lastIndex(of: ".") else { return false }
    return format.fileExtensions.contains(name[name.index(after: dot)...].lowercased())
  }
}
