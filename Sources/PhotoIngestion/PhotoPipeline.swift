// What is known of photos and their errors: values that apps share.
@_exported public import Announcements
package import ImageContainers

/// Prepares and inspects photos, all by the same stages, in the order of this file.
///
///     receive → sniff → parse → probe → normalize → verify
///        0        1       2       3         4          5
///
/// `inspect` runs stages 0 to 3 and reads what could stay as 5 does, `prepare` 0 to 5; a cache stores the photo
/// and records it after that. Stages are synchronous functions over values, so the same code runs here or in a
/// worker process (`decoders`). They block; what is public waits for them on a `WorkerPool`.
public struct PhotoPipeline: Sendable {
  /// Limits and the normalized form.
  public var policy: PhotoPolicy
  /// Worker processes that run stages 1 to 4; nil runs them in this process, where a decoder's crash
  /// is the host's.
  public var decoders: DecoderPool?
  /// The turn at the decoders that photos and sizes are prepared in; nil where they take no turns.
  package var turn: DecoderTurn?
  /// Whether the size that stands for a photo where its link is shown is made along with it.
  package var makesSharedSize = false

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

  /// Where stages 1 to 4 run.
  var decoder: any Decoding {
    if let decoders { decoders } else { InProcessDecoder() }
  }

  /// Inspects a photo on the caller's thread.
  package func inspect(_ source: PhotoSource) throws(PhotoError) -> PhotoInspection {
    let received = try Receiver.receive(source, limit: policy.fileBytes)  // 0
    let parsed = try parsed(received)  // 1 to 3
    let name = received.name(as: parsed.facts.format)
    return PhotoInspection(
      fileName: name, fileSizeBytes: received.bytes.count,
      extensionMatches: Self.extensionMatches(name, parsed.facts.format),
      facts: parsed.facts, colorProfile: parsed.colorProfile, plan: parsed.plan,
      blobFormat: parsed.blobFormat)
  }

  /// Returns the facts of the photo that a file would become and the format of its blob, as far as
  /// `inspect` knows them.
  package func planForDryRun(
    _ received: ReceivedFile
  ) throws(PhotoError) -> (facts: PhotoFacts, blobFormat: ImageFormat) {
    let parsed = try parsed(received)  // 1 to 3
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

  /// Stages 1 to 3, in a decoder.
  private func parsed(_ received: ReceivedFile) throws(PhotoError) -> ParsedFacts {
    try refining(received) {
      let answer = try decoder.answer(
        .inspect, about: received.bytes, sha256: received.sha256, policy: policy)
      guard case .inspect(let parsed) = answer.facts else { throw PhotoError.fault(.decoderAnswer) }
      return parsed
    }
  }

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

  /// Prepares a photo that was received. The import decides by its digest whether to go on.
  ///
  /// - Parameter times: what it takes is added here, also when the photo is refused.
  package func prepare(
    _ received: ReceivedFile, _ times: inout StageTimes
  ) throws(PhotoError) -> PreparedPhoto {
    try refining(received) {
      try Self.retryingCodedAnew { depth in
        try decoder.withLease { lease in
          lease?.turn = turn
          let photo = try decoded(received, depth, &times, lease)  // 1 to 4
          var prepared = try verified(photo, received, &times, lease)  // 5
          if makesSharedSize {
            // What fails is made when it is asked for.
            let blob = prepared.blob
            let form = SizeForm.shared(width: blob.pixelWidth, height: blob.pixelHeight)
            prepared.shared = try? size(form, of: blob, lease)
          }
          return prepared
        }
      }
    }
  }

  /// Stages 1 to 4, in a decoder.
  private func decoded(
    _ received: ReceivedFile, _ depth: CleaningDepth, _ times: inout StageTimes,
    _ lease: DecoderLease?
  ) throws -> DecodedPhoto {
    let answer = try decoder.answer(
      DecoderRequest(work: .prepare(depth), policy: policy), about: received.bytes,
      sha256: received.sha256, of: lease, times: &times)
    guard case .prepare(var facts) = answer.facts else { throw PhotoError.fault(.decoderAnswer) }
    try ResponseCheck.check(facts, against: received.bytes, policy: policy)
    // The digest is of what we received, whatever a worker may say.
    facts.source.sha256 = received.sha256
    return DecodedPhoto(facts: facts, blob: answer.first, preview: answer.second)
  }

  /// Runs stage 5, which reads every byte of the blob; where it sees pixels, the preview is made of those.
  private func verified(
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
    return PreparedPhoto(
      facts: PhotoFacts(
        fileName: received.name(as: facts.format), fileSizeBytes: received.bytes.count,
        format: facts.format, pixelWidth: facts.pixelWidth, pixelHeight: facts.pixelHeight,
        source: facts.source, normalization: facts.normalization,
        form: PhotoForm(policy: policy, libraries: facts.libraries)),
      blob: blob, preview: preview, perceptualHash: encodedPreview.perceptualHash,
      position: facts.position)
  }

  /// Returns the preview of a picture that the verification made small, in a decoder.
  private func preview(
    of picture: SmallPicture, from received: ReceivedFile, _ times: inout StageTimes,
    _ lease: DecoderLease?
  ) throws -> DecodedPreview {
    // What fits is all that has to travel.
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

/// Stages 1 to 4, in a worker or in this process (`InProcessDecoder`).
extension PhotoPipeline {
  /// Runs stages 1 to 3.
  ///
  /// - Parameters:
  ///   - depth: how far it goes into the data.
  ///   - onStage: called with each stage as it begins.
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
  /// Leaves a photo's codes as they are first, and codes them anew when the proof refuses the product: then
  /// something hides in the data. So is what a decoder refuses.
  ///
  /// - Throws: what else `attempt` throws, and the proof's refusal of what was coded anew.
  static func retryingCodedAnew<Result>(
    _ attempt: (CleaningDepth) throws -> Result
  ) throws -> Result {
    do { return try attempt(.asIs) } catch let error as PhotoError {
      switch error {
      // Only reading all codes finds out what a decoder misses: pixels, or an end that it can do without.
      case .unverified, .undecodable: return try attempt(.codedAnew)
      default: throw error
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
  ) throws -> ParsedPhoto {
    try retryingCodedAnew { depth in
      var photo = try parse(received, policy: policy, depth: depth, onStage: onStage)
      let facts = photo.facts
      guard photo.plan.normalization.method == .carriedOver,
        let carried = try Normalizer.carriedOver(
          photo, policy: policy, onStage: { onStage($0, facts) })
      else {
        try Normalizer.checkWhole(photo, policy: policy)
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
  /// Makes a size of a blob, verified as every picture is.
  ///
  /// - Parameter form: a size of the blob's ladder, in its format.
  /// - Throws: `PhotoError.corrupt` when the blob does not decode; `.unverified` when the size breaks the
  ///   promise.
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

  /// Returns the SHA-256 of a stored picture's pixels with their size and bands: equal for pictures that look
  /// the same bit for bit, however they are coded.
  ///
  /// - Throws: `PhotoError.corrupt` when it does not decode.
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

extension PictureRaster {
  /// Decodes the first frame of a blob or preview, or a HEIC original by libde265, and shrinks it to fit.
  ///
  /// - Parameters:
  ///   - side: pixels along the longer side of the result, at most.
  ///   - decoders: worker processes to decode in; nil decodes in this process.
  /// - Throws: `PhotoError.corrupt` when it does not decode, `.unsupportedFormat` when libde265 is not there.
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

/// The same on a pool's threads, while the caller's go on.
extension PhotoPipeline {
  /// Finds out what a photo is and what `prepare` would do with it. Whether its codes can stay is read
  /// from them, as the verification of stage 5 does, but nothing is decoded or encoded: a file that a decoder
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
    try await pool.prepare { try inspect(source) }
  }

  /// Makes the normalized blob and preview in memory, verified and ready to store.
  ///
  /// - Parameters:
  ///   - source: a file, or bytes that were received.
  ///   - pool: whose threads work, and so how many photos are worked on at the same time.
  /// - Throws: `PhotoError` with the reason for a refusal, `.cancelled` with the task; nothing is stored
  ///   either way.
  public func prepare(
    _ source: PhotoSource, on pool: WorkerPool = .shared
  ) async throws(PhotoError) -> PreparedPhoto {
    try await pool.prepare { try prepare(source) }
  }
}

extension DecoderPool {
  /// Reports what a worker's libraries and sandbox are; `problems` says why workers refuse to work here.
  ///
  /// - Throws: `PhotoError.fault(.decoderStart)` when none can be asked, `.cancelled`.
  package func report(on pool: WorkerPool = .shared) async throws(PhotoError) -> DecoderReport {
    try await pool.prepare { try self.report() }
  }
}
