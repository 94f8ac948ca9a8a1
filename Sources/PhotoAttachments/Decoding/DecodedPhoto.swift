import ImageContainers

/// What stages 1 to 4 make of a photo's bytes: facts, and pictures that nobody has proved yet.
struct DecodedPhoto {
  var facts: Facts
  var blob: [UInt8]
  /// Empty where the proof of the blob is to give the small picture.
  var preview: [UInt8]

  struct Facts: Codable {
    var format: ImageFormat
    /// Upright.
    var pixelWidth: Int
    var pixelHeight: Int
    var source: SourceFacts
    var normalization: Normalization
    var blobFormat: ImageFormat
    var blobFrames: Int
    var previewFormat: ImageFormat
    var perceptualHash: UInt64
    /// `LibraryVersions.current` of the process that made it.
    var libraries: [String: String]
    /// What the worker took that made it.
    var times = StageTimes()
  }

  /// Runs stages 1 to 4 in this process.
  ///
  /// - Parameters:
  ///   - care: how far stage 4 goes into the data.
  ///   - entering: hears of each stage as it begins.
  static func decode(
    _ received: ReceivedFile, policy: PhotoPolicy, care: DataCare,
    entering: (PhotoStage, ImageFacts?) -> Void
  ) throws(PhotoError) -> DecodedPhoto {
    let photo = try WalkedPhoto.walk(  // 1 to 3
      received, policy: policy, care: care, entering: entering)
    let facts = photo.facts
    let product = try Normalizer.normalize(photo, policy: policy) { entering($0, facts) }  // 4
    return DecodedPhoto(
      facts: Facts(
        format: facts.format, pixelWidth: facts.uprightWidth, pixelHeight: facts.uprightHeight,
        source: SourceFacts(
          sha256: received.sha256, orientation: facts.orientation, frameCount: facts.frameCount,
          hasAlpha: facts.hasAlpha, colorProfile: photo.plan.colorProfile,
          capturedAt: facts.exif?.capturedAt, hasLocation: facts.hasLocation),
        normalization: product.normalization, blobFormat: photo.plan.blobFormat,
        blobFrames: photo.plan.blobFrames(of: facts), previewFormat: product.preview.format,
        perceptualHash: product.preview.perceptualHash, libraries: LibraryVersions.current),
      blob: product.blob, preview: product.preview.bytes)
  }
}

extension WalkedPhoto {
  /// Runs stages 1 to 3 in this process.
  ///
  /// - Parameter care: how far it goes into the data.
  static func walk(
    _ received: ReceivedFile, policy: PhotoPolicy, care: DataCare,
    entering: (PhotoStage, ImageFacts?) -> Void
  ) throws(PhotoError) -> WalkedPhoto {
    try VipsRuntime.start(threads: policy.threadsPerPhoto)
    entering(.sniff, nil)
    let format = try Sniffer.sniff(received.bytes)  // 1
    entering(.walk, nil)
    let (walked, clean) = try Walker.walk(  // 2
      received.bytes, as: format, limits: policy.limits, readingData: care != .leftToProof)
    var facts = walked
    if care == .codedAnew { facts.oddities.append("surplus-data") }
    entering(.probe, facts)
    try Prober.check(facts, clean: clean)  // 3
    return WalkedPhoto(
      received: received, facts: facts, plan: NormalizationPlan(for: facts), clean: clean,
      care: care)
  }
}
