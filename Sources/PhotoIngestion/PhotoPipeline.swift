package import ImageContainers

/// Prepares and inspects photos, all by the same stages.
///
///     file → sniff → walk → probe → normalize → prove
///       0      1       2      3         4         5
///
/// `inspect` runs stages 0 to 3 and reads what could stay as 5 does, `prepare` 0 to 5; a caller that
/// keeps photos stores and records them after that. Stages are synchronous functions over values, so the same
/// code runs here or in a worker process (`decoders`). They block; what is public waits for them on a
/// `WorkerPool`.
public struct PhotoPipeline: Sendable {
  /// Limits and the normalized form.
  public var policy: PhotoPolicy
  /// Worker processes that run stages 1 to 4; nil runs them in this process, where a decoder's crash
  /// is the host's.
  public var decoders: DecoderPool?

  /// A pipeline with this policy.
  ///
  /// - Parameters:
  ///   - policy: what a photo may cost, and what form comes out.
  ///   - decoders: processes of this program, unless said otherwise. Nil decodes in this
  ///     process, which is for trusted photos only.
  public init(policy: PhotoPolicy = .init(), decoders: DecoderPool? = DecoderPool()) {
    self.policy = policy
    self.decoders = decoders
  }

  /// What `inspect(_:on:)` waits for, on the caller's thread.
  package func inspect(_ source: PhotoSource) throws(PhotoError) -> PhotoInspection {
    let received = try Receiver.receive(source, limit: policy.fileBytes)  // 0
    let walked = try walked(received)  // 1 to 3
    let name = received.name(as: walked.facts.format)
    return PhotoInspection(
      fileName: name, fileSizeBytes: received.bytes.count,
      extensionMatches: Self.extensionMatches(name, walked.facts.format),
      facts: walked.facts, colorProfile: walked.colorProfile, plan: walked.plan,
      blobFormat: walked.blobFormat)
  }

  /// The facts of the photo that a file would become and the format of its blob, as far as `inspect`
  /// knows them.
  package func planForDryRun(
    _ received: ReceivedFile
  ) throws(PhotoError) -> (facts: PhotoFacts, blobFormat: ImageFormat) {
    let walked = try walked(received)  // 1 to 3
    let facts = walked.facts
    return (
      PhotoFacts(
        fileName: received.name(as: facts.format), fileSizeBytes: received.bytes.count,
        format: facts.format, pixelWidth: facts.uprightWidth, pixelHeight: facts.uprightHeight,
        source: SourceFacts(
          sha256: received.sha256, orientation: facts.orientation,
          frameCount: facts.fileFrameCount ?? facts.frameCount, hasAlpha: facts.hasAlpha,
          colorProfile: walked.colorProfile,
          capturedAt: facts.exif?.capturedAt, hasLocation: facts.hasLocation),
        normalization: walked.plan),
      walked.blobFormat
    )
  }

  /// What `prepare(_:on:)` waits for, on the caller's thread.
  package func prepare(_ source: PhotoSource) throws(PhotoError) -> PreparedPhoto {
    var times = StageTimes()
    return try prepare(try Receiver.receive(source, limit: policy.fileBytes), &times)  // 0
  }

  /// The same from stage 1 on, for the import, which decides by the digest whether to go on.
  ///
  /// - Parameter times: what it takes is added here, also when the photo is refused.
  package func prepare(
    _ received: ReceivedFile, _ times: inout StageTimes
  ) throws(PhotoError) -> PreparedPhoto {
    try Self.retryingWithDeeperCleaning { depth throws(PhotoError) in
      try withDecoder { lease throws(PhotoError) in
        let photo = try decoded(received, depth, &times, lease)  // 1 to 4
        return try proved(photo, received, &times, lease)  // 5
      }
    }
  }

  /// Stage 5, which reads every byte of the blob; where it sees pixels, the preview is made of those.
  private func proved(
    _ photo: DecodedPhoto, _ received: ReceivedFile, _ times: inout StageTimes,
    _ lease: DecoderLease?
  ) throws(PhotoError) -> PreparedPhoto {
    var clock = StageClock(.prove)
    defer { times += clock.stop() }
    let facts = photo.facts
    let (blob, previewSource) = try Prover.prove(
      photo.blob, format: facts.blobFormat, width: facts.pixelWidth, height: facts.pixelHeight,
      frames: facts.blobFrames, reducedTo: photo.preview.isEmpty ? policy.previewSide : nil)
    var encodedPreview = DecodedPreview(
      bytes: photo.preview, format: facts.previewFormat, perceptualHash: facts.perceptualHash)
    if photo.preview.isEmpty {
      guard let previewSource else { throw .unverified(what: "preview") }
      clock.enter(nil)
      encodedPreview = try preview(of: previewSource, from: received, &times, lease)
      clock.enter(.prove)
    }
    let preview = try Prover.prove(
      preview: encodedPreview.bytes, format: encodedPreview.format, side: policy.previewSide)
    return PreparedPhoto(
      facts: PhotoFacts(
        fileName: received.name(as: facts.format), fileSizeBytes: received.bytes.count,
        format: facts.format, pixelWidth: facts.pixelWidth, pixelHeight: facts.pixelHeight,
        source: facts.source, normalization: facts.normalization,
        form: PhotoForm(policy: policy, libraries: facts.libraries)),
      blob: blob, preview: preview, perceptualHash: encodedPreview.perceptualHash,
      position: facts.position)
  }

  private static func extensionMatches(_ name: String, _ format: ImageFormat) -> Bool {
    guard let dot = name.lastIndex(of: ".") else { return false }
    return format.fileExtensions.contains(name[name.index(after: dot)...].lowercased())
  }
}

/// Stages 1 to 4 as a worker runs them, or a host that has no workers.
extension PhotoPipeline {
  /// Runs stages 1 to 3.
  ///
  /// - Parameters:
  ///   - depth: how far it goes into the data.
  ///   - onStage: called with each stage as it begins.
  static func walk(
    _ received: ReceivedFile, policy: PhotoPolicy, depth: CleaningDepth,
    onStage: (PhotoStage, ImageFacts?) -> Void
  ) throws(PhotoError) -> WalkedPhoto {
    try VipsRuntime.start(threads: policy.threadsPerPhoto)
    onStage(.sniff, nil)
    let format = try Sniffer.sniff(received.bytes)  // 1
    onStage(.walk, nil)
    let (walked, clean) = try Walker.walk(  // 2
      received.bytes, as: format, limits: policy.limits, readingData: depth != .leftToProof)
    var facts = walked
    if depth == .recoded { facts.oddities.append("surplus-data") }
    onStage(.probe, facts)
    try Prober.check(facts, clean: clean, limits: policy.limits)  // 3
    return WalkedPhoto(
      received: received, facts: facts, plan: NormalizationPlan(for: facts), clean: clean,
      depth: depth)
  }

  /// Runs stages 1 to 4.
  static func decode(
    _ received: ReceivedFile, policy: PhotoPolicy, depth: CleaningDepth,
    onStage: (PhotoStage, ImageFacts?) -> Void
  ) throws(PhotoError) -> DecodedPhoto {
    let photo = try walk(received, policy: policy, depth: depth, onStage: onStage)  // 1 to 3
    let product = try Normalizer.normalize(photo, policy: policy) {  // 4
      onStage($0, photo.facts)
    }
    return DecodedPhoto(product, of: photo)
  }
}

extension PhotoPipeline {
  /// Cleans as little as possible first, and more as long as the proof refuses the product: then
  /// something hides in the data. What a decoder refuses is read, too.
  ///
  /// - Throws: what else `attempt` throws, and the proof's refusal of what was coded again.
  static func retryingWithDeeperCleaning<Result>(
    _ attempt: (CleaningDepth) throws(PhotoError) -> Result
  ) throws(PhotoError) -> Result {
    var depth = CleaningDepth.leftToProof
    while true {
      do throws(PhotoError) { return try attempt(depth) } catch {
        guard let deeper = depth.next else { throw error }
        switch error {
        case .unverified: depth = deeper
        // Only reading all codes finds out what a decoder misses: pixels, or an end that it can do without.
        case .undecodable where depth == .leftToProof: depth = deeper
        default: throw error
        }
      }
    }
  }

  /// Runs stages 1 to 3 as deep as `prepare` will go, so that the plan is what `attach`
  /// does: the codes of what is to be carried over are read, no pixel is made of them.
  ///
  /// Only a WebP with something behind its data is decoded: only that shows whether it can be removed.
  static func planned(
    _ received: ReceivedFile, policy: PhotoPolicy,
    onStage: (PhotoStage, ImageFacts?) -> Void = { _, _ in }
  ) throws(PhotoError) -> WalkedPhoto {
    try retryingWithDeeperCleaning { depth throws(PhotoError) in
      let photo = try walk(received, policy: policy, depth: depth, onStage: onStage)
      guard photo.plan.normalization.method == .carriedOver, depth != .recoded else {
        try Normalizer.checkWhole(photo, policy: policy)
        return photo
      }
      let facts = photo.facts
      let carried = try Normalizer.carriedOver(photo, policy: policy) { onStage($0, facts) }
      guard let carried else {
        try Normalizer.checkWhole(photo, policy: policy)
        return try walk(received, policy: policy, depth: .recoded, onStage: onStage)
      }
      try Prover.account(
        for: carried.blob, format: photo.plan.blobFormat, width: facts.uprightWidth,
        height: facts.uprightHeight, frames: facts.frameCount)
      return photo
    }
  }
}

/// The line for those outside: each waits on a pool's thread, and the caller's goes on.
extension PhotoPipeline {
  /// Tells what a photo is and what `prepare` would do with it. Whether its codes can stay is read
  /// from them, as the proof of stage 5 does, but nothing is decoded or encoded: a file that a decoder
  /// refuses may have a plan.
  ///
  /// - Parameters:
  ///   - source: a file, or bytes that were received.
  ///   - pool: whose threads read.
  /// - Throws: `PhotoError` with the reason for a refusal, `.cancelled` with the task; nothing is stored
  ///   either way.
  public func inspect(
    _ source: PhotoSource, on pool: WorkerPool = .shared
  ) async throws(PhotoError) -> PhotoInspection {
    try await pool.prepare { () throws(PhotoError) in try inspect(source) }
  }

  /// Makes the normalized blob and preview in memory, proved and ready to store.
  ///
  /// - Parameters:
  ///   - source: a file, or bytes that were received.
  ///   - pool: whose threads work, and so how many photos are worked on at the same time.
  /// - Throws: `PhotoError` with the reason for a refusal, `.cancelled` with the task; nothing is stored
  ///   either way.
  public func prepare(
    _ source: PhotoSource, on pool: WorkerPool = .shared
  ) async throws(PhotoError) -> PreparedPhoto {
    try await pool.prepare { () throws(PhotoError) in try prepare(source) }
  }
}

extension DecoderPool {
  /// What a worker's libraries and sandbox are; `problems` says why workers refuse to work here.
  ///
  /// - Throws: `PhotoError.fault(.decoderStart)` when none can be asked, `.cancelled`.
  public func report(on pool: WorkerPool = .shared) async throws(PhotoError) -> DecoderReport {
    try await pool.prepare { () throws(PhotoError) in try self.report() }
  }
}
