// `PhotoModel` declares the photo facts and errors that apps use, so importers of this module see them too.
@_exported public import PhotoModel
package import ImageContainers

/// Prepares and inspects photos. Both run the stages below, in this order.
///
///     receive → sniff → parse → probe → normalize → verify
///        0        1       2       3         4          5
///
/// `inspect` runs stages 0 to 3, and reads codes that could stay as stage 5 does. `prepare` runs stages 0 to 5; after
/// that, a cache stores and records the photo. Stages are synchronous functions over values, so the same code runs in
/// this process or in a worker process (`decoding`). They block, so public methods run them on a `WorkerPool`.
public struct PhotoPipeline: Sendable {
  /// Limits and the normalized form.
  public var policy: PhotoPolicy
  /// The place where stages 1 to 4 run.
  public var decoding: PhotoDecoding
  /// The turn in which photos and sizes use the decoders, or `nil` if clients don't take turns.
  package var turn: DecoderTurn?
  /// `true` if `prepare` also makes the size that previews of links show.
  package var makesSharedSize = false

  /// Creates a pipeline.
  ///
  /// - Parameters:
  ///   - policy: The limits for a photo, and the normalized form.
  ///   - decoding: The place where photos are decoded; by default, sandboxed processes of this program.
  public init(policy: PhotoPolicy = .init(), decoding: PhotoDecoding = .sandboxed()) {
    self.policy = policy
    self.decoding = decoding
  }

  /// The decoder that runs stages 1 to 4: the worker processes, or this process.
  var decoder: any Decoding {
    if let pool = decoding.pool { pool } else { InProcessDecoder() }
  }

  /// Inspects a photo on the caller's thread.
  ///
  /// - Parameter decodes: `true` to also decode photos that only decoding can prove to be whole, such as a HEIC.
  package func inspect(
    _ source: PhotoSource, decodes: Bool = false
  ) throws(PhotoError) -> PhotoInspection {
    try inspect(Receiver.receive(source, limit: policy.fileBytes), decodes: decodes)  // 0
  }

  /// Inspects a photo that was received.
  package func inspect(
    _ received: ReceivedFile, decodes: Bool
  ) throws(PhotoError) -> PhotoInspection {
    let parsed = try parseFacts(received, decodes: decodes)  // 1 to 3
    let name = received.name(as: parsed.facts.format)
    return PhotoInspection(
      fileName: name, fileSizeBytes: received.bytes.count,
      extensionMatches: Self.extensionMatches(name, parsed.facts.format),
      facts: parsed.facts, colorProfile: parsed.colorProfile, plan: parsed.plan,
      blobFormat: parsed.blobFormat)
  }

  /// Returns the facts of the photo that a file would become and the format of its blob, as far as stages 1 to 3 find
  /// them.
  package func planForDryRun(
    _ received: ReceivedFile
  ) throws(PhotoError) -> (facts: PhotoFacts, blobFormat: ImageFormat) {
    let parsed = try parseFacts(received)  // 1 to 3
    let facts = parsed.facts
    return (
      PhotoFacts(
        fileName: received.name(as: facts.format), fileSizeBytes: received.bytes.count,
        format: facts.format, pixelWidth: facts.uprightWidth, pixelHeight: facts.uprightHeight,
        source: SourceFacts(facts, sha256: received.sha256, colorProfile: parsed.colorProfile),
        normalization: parsed.plan),
      parsed.blobFormat
    )
  }

  /// Runs stages 1 to 3 in a decoder.
  private func parseFacts(
    _ received: ReceivedFile, decodes: Bool = false
  ) throws(PhotoError) -> ParsedFacts {
    try refining(received) {
      let answer = try decoder.answer(
        .inspect(decodes: decodes), about: received.bytes, sha256: received.sha256, policy: policy)
      guard case .inspect(let parsed) = answer.facts else { throw PhotoError.fault(.decoderAnswer) }
      return parsed
    }
  }

  /// Runs work on a received file, and replaces its error with a more precise one if the file's name or content allows
  /// that.
  private func refining<T>(
    _ received: ReceivedFile, _ work: () throws -> T
  ) throws(PhotoError) -> T {
    do throws(PhotoError) { return try PhotoError.mapping(work) } catch {
      throw Sniffer.refined(error, of: received)
    }
  }

  /// Prepares a photo on the caller's thread.
  package func prepare(_ source: PhotoSource) throws(PhotoError) -> PreparedPhoto {
    var times = StageTimes()
    return try prepare(try Receiver.receive(source, limit: policy.fileBytes), &times)  // 0
  }

  /// Prepares a photo that was received. Imports check its digest first to decide whether it is needed.
  ///
  /// - Parameter times: The durations that this adds to, even if the photo is refused.
  package func prepare(
    _ received: ReceivedFile, _ times: inout StageTimes
  ) throws(PhotoError) -> PreparedPhoto {
    try refining(received) {
      try Self.retryingCodedAnew { depth in
        try decoder.withLease { lease in
          lease?.turn = turn
          let photo = try decodePhoto(received, depth, &times, lease)  // 1 to 4
          var prepared = try verifyPhoto(photo, received, &times, lease)  // 5
          if makesSharedSize {
            // If this fails, the size is made at the first request for it.
            let blob = prepared.blob
            let form = SizeForm.shared(width: blob.pixelWidth, height: blob.pixelHeight)
            prepared.shared = try? size(form, of: blob, lease)
          }
          return prepared
        }
      }
    }
  }

  /// Runs stages 1 to 4 in a decoder.
  private func decodePhoto(
    _ received: ReceivedFile, _ depth: CleaningDepth, _ times: inout StageTimes,
    _ lease: DecoderLease?
  ) throws -> DecodedPhoto {
    let answer = try decoder.answer(
      DecoderRequest(work: .prepare(depth), policy: policy), about: received.bytes,
      sha256: received.sha256, of: lease, times: &times)
    guard case .prepare(var facts) = answer.facts else { throw PhotoError.fault(.decoderAnswer) }
    try ResponseCheck.check(facts, against: received.bytes, policy: policy)
    // A compromised worker could return another digest, so use that of the bytes that were received.
    facts.source.sha256 = received.sha256
    return DecodedPhoto(facts: facts, blob: answer.first, preview: answer.second)
  }

  /// Runs stage 5, which reads every byte of the blob. If the decoder made no preview, makes one from the small picture
  /// that the verification returns.
  private func verifyPhoto(
    _ photo: DecodedPhoto, _ received: ReceivedFile, _ times: inout StageTimes,
    _ lease: DecoderLease?
  ) throws -> PreparedPhoto {
    var clock = StageClock(.verify)
    defer { times += clock.stop() }
    let facts = photo.facts
    let (bytes, picture) = try Verifier.finish(
      photo.blob, format: facts.blobFormat, width: facts.pixelWidth, height: facts.pixelHeight,
      frames: facts.blobFrames, reducedTo: photo.preview.isEmpty ? policy.previewSide : nil)
    let blob = EncodedPicture(
      bytes: bytes, format: facts.blobFormat, pixelWidth: facts.pixelWidth,
      pixelHeight: facts.pixelHeight, frameCount: facts.blobFrames, sha256: sha256(of: bytes))
    var encodedPreview = DecodedPreview(
      bytes: photo.preview, format: facts.previewFormat, perceptualHash: facts.perceptualHash)
    if photo.preview.isEmpty {
      guard let reduced = picture.reduced else { throw PhotoError.unverified(what: "preview") }
      clock.enter(nil)
      encodedPreview = try preview(of: SmallPicture(reduced), from: received, &times, lease)
      clock.enter(.verify)
    }
    let preview = try Verifier.verify(
      preview: encodedPreview.bytes, format: encodedPreview.format, side: policy.previewSide)
    var recorded = PhotoFacts(
      fileName: received.name(as: facts.format), fileSizeBytes: received.bytes.count,
      format: facts.format, pixelWidth: facts.pixelWidth, pixelHeight: facts.pixelHeight,
      source: facts.source, normalization: facts.normalization)
    recorded.form = PhotoForm(policy: policy, libraries: facts.libraries)
    return PreparedPhoto(
      facts: recorded, blob: blob, preview: preview, perceptualHash: encodedPreview.perceptualHash,
      position: facts.position)
  }

  /// Encodes the preview in a decoder, from the small picture that the verification made.
  private func preview(
    of picture: SmallPicture, from received: ReceivedFile, _ times: inout StageTimes,
    _ lease: DecoderLease?
  ) throws -> DecodedPreview {
    // Shrink first, so that fewer pixels are sent to the worker.
    let small = picture.fitted(to: policy.previewSide)
    let work = DecoderRequest.Work.preview(
      width: small.width, height: small.height, bands: small.bands)
    let answer = try decoder.answer(
      DecoderRequest(work: work, policy: policy), about: small.pixels, sha256: received.sha256,
      of: lease, times: &times)
    guard case .preview(let format, let hash) = answer.facts else {
      throw PhotoError.fault(.decoderAnswer)
    }
    return DecodedPreview(bytes: answer.first, format: format, perceptualHash: hash)
  }

  private static func extensionMatches(_ name: String, _ format: ImageFormat) -> Bool {
    guard let dot = name.lastIndex(of: ".") else { return false }
    return format.fileExtensions.contains(name[name.index(after: dot)...].lowercased())
  }
}

/// Stages 1 to 4, which run in a worker or in this process (`InProcessDecoder`).
extension PhotoPipeline {
  /// Runs stages 1 to 3.
  ///
  /// - Parameters:
  ///   - depth: `.codedAnew` also reads the compressed data.
  ///   - onStage: A closure that runs as each stage begins. It receives the facts once they are known.
  static func parse(
    _ received: ReceivedFile, policy: PhotoPolicy, depth: CleaningDepth,
    onStage: (PhotoStage, ImageFacts?) -> Void
  ) throws -> ParsedPhoto {
    try VipsRuntime.start(threads: policy.threadsPerPhoto)
    onStage(.sniff, nil)
    let format = try Sniffer.sniff(received.bytes)  // 1
    onStage(.parse, nil)
    let (facts, clean) = try ImageContainer.parseAndClean(  // 2
      received.bytes, as: format, limits: policy.limits, readingData: depth == .codedAnew)
    onStage(.probe, facts)
    try Prober.check(facts, clean: clean, limits: policy.limits)  // 3
    return ParsedPhoto(
      received: received, facts: facts, plan: NormalizationPlan(for: facts), clean: clean,
      depth: depth)
  }

  /// Runs stages 1 to 4.
  static func decode(
    _ received: ReceivedFile, policy: PhotoPolicy, depth: CleaningDepth,
    onStage: (PhotoStage, ImageFacts?) -> Void
  ) throws -> DecodedPhoto {
    let photo = try parse(received, policy: policy, depth: depth, onStage: onStage)  // 1 to 3
    let product = try Normalizer.normalize(photo, policy: policy) {  // 4
      onStage($0, photo.facts)
    }
    return DecodedPhoto(product, of: photo)
  }
}

extension PhotoPipeline {
  /// Runs an attempt that keeps a photo's codes, and then one that codes them anew if the first one fails.
  ///
  /// The second attempt runs if the proof refuses the product, because something hides in its data, or if a decoder
  /// refuses the photo.
  ///
  /// - Throws: Any other error of the first attempt, and every error of the second one.
  static func retryingCodedAnew<Result>(
    _ attempt: (CleaningDepth) throws -> Result
  ) throws -> Result {
    do { return try attempt(.asIs) } catch let error as PhotoError {
      switch error {
      // Only reading all codes shows whether pixels are missing or just an end marker, which isn't needed.
      case .unverified, .undecodable: return try attempt(.codedAnew)
      default: throw error
      }
    }
  }

  /// Runs stages 1 to 3 at the depth that `prepare` needs, so that `attach` does what the plan contains.
  ///
  /// Reads the codes that are to be carried over, but makes no pixels from them. The only exception is a WebP with
  /// bytes after its data: only decoding shows whether these can be removed.
  ///
  /// - Parameter decodes: `true` to also decode photos whose codes don't stay, which only decoding can prove to be
  ///   whole. The codes of a JPEG are always read.
  static func planned(
    _ received: ReceivedFile, policy: PhotoPolicy, decodes: Bool = false,
    onStage: (PhotoStage, ImageFacts?) -> Void = { _, _ in }
  ) throws -> ParsedPhoto {
    try retryingCodedAnew { depth in
      var photo = try parse(received, policy: policy, depth: depth, onStage: onStage)
      let facts = photo.facts
      guard photo.plan.normalization.method == .carriedOver,
        let carried = try Normalizer.carriedOver(
          photo, policy: policy, onStage: { onStage($0, facts) })
      else {
        try Normalizer.checkWhole(photo, policy: policy)
        if decodes, facts.format != .jpeg {
          onStage(.decode, facts)
          try Normalizer.decodeWhole(photo, policy: policy)
        }
        photo.plan.codeAnew()
        return photo
      }
      try Verifier.finish(
        carried.blob, format: photo.plan.blobFormat, width: facts.uprightWidth,
        height: facts.uprightHeight, frames: facts.frameCount)
      return photo
    }
  }
}

extension PhotoPipeline {
  /// Makes a size of a blob, and verifies it like every picture.
  ///
  /// - Parameter form: A size of the blob's ladder, in the blob's format.
  /// - Throws: `PhotoError.corrupt` if the blob doesn't decode, `.unverified` if the size has bytes that no pixel
  ///   needs.
  package func size(
    _ form: SizeForm, of blob: EncodedPicture
  ) throws(PhotoError) -> EncodedPicture {
    try PhotoError.mapping {
      try decoder.withLease { lease in
        lease?.turn = turn
        return try size(form, of: blob, lease)
      }
    }
  }

  private func size(
    _ form: SizeForm, of blob: EncodedPicture, _ lease: DecoderLease?
  ) throws -> EncodedPicture {
    var times = StageTimes()
    let work = DecoderRequest.Work.size(
      form, blob.format, width: blob.pixelWidth, height: blob.pixelHeight)
    let answer = try decoder.answer(
      DecoderRequest(work: work, policy: policy), about: blob.bytes, sha256: blob.sha256,
      of: lease, times: &times)
    guard case .size = answer.facts else { throw PhotoError.fault(.decoderAnswer) }
    return try Verifier.verify(
      try Verifier.clean(answer.first, as: form.format), format: form.format,
      width: form.size.width, height: form.size.height, frames: 1)
  }

  /// Returns the SHA-256 of a stored picture's size, bands and pixels. Pictures with equal pixels have equal digests,
  /// however they are coded.
  ///
  /// - Throws: `PhotoError.corrupt` if the picture doesn't decode.
  package func pixelDigest(
    of bytes: [UInt8], as format: ImageFormat
  ) throws(PhotoError) -> String {
    try PhotoError.mapping {
      let answer = try decoder.answer(
        .pixelDigest(format), about: bytes, sha256: sha256(of: bytes))
      guard case .pixelDigest(let digest) = answer.facts else {
        throw PhotoError.fault(.decoderAnswer)
      }
      return digest
    }
  }

}

/// Async variants that run on a worker pool.
extension PhotoPipeline {
  /// Returns the facts of a photo and the plan that `prepare` would follow.
  ///
  /// Reads the codes as stage 5 does to find out whether they can stay. Encodes nothing and makes no pixels, unless a
  /// WebP has bytes after its data. So even a file that a decoder refuses may have a plan.
  ///
  /// - Parameters:
  ///   - source: A file, or bytes that were received.
  ///   - pool: The pool whose thread runs the stages.
  /// - Throws: `PhotoError` with the reason for a refusal, `.cancelled` if the task is canceled. Stores nothing.
  public func inspect(
    _ source: PhotoSource, on pool: WorkerPool = .shared
  ) async throws(PhotoError) -> PhotoInspection {
    try await pool.prepare { try inspect(source) }
  }

  /// Makes the normalized blob and preview in memory, verified and ready to store.
  ///
  /// - Parameters:
  ///   - source: A file, or bytes that were received.
  ///   - pool: The pool whose thread runs the stages. Its size limits how many photos are prepared at a time.
  /// - Throws: `PhotoError` with the reason for a refusal, `.cancelled` if the task is canceled. Stores nothing.
  public func prepare(
    _ source: PhotoSource, on pool: WorkerPool = .shared
  ) async throws(PhotoError) -> PreparedPhoto {
    try await pool.prepare { try prepare(source) }
  }
}

extension DecoderPool {
  /// Returns a worker's libraries and sandbox. `problems` lists the reasons why workers refuse to run here.
  ///
  /// - Throws: `PhotoError.fault(.decoderStart)` if no worker starts, `.cancelled` if the task is canceled.
  package func report(on pool: WorkerPool = .shared) async throws(PhotoError) -> DecoderReport {
    try await pool.prepare { try self.report() }
  }
}
