import ImageContainers

/// The result of stages 1 to 3: the format, the facts from the container, and the clean container, which is the only
/// input of a decoder.
struct ParsedPhoto {
  var received: ReceivedFile
  var facts: ImageFacts
  var plan: NormalizationPlan
  /// The container, reduced to the parts that decoding needs. The metadata parsers of the C libraries never see the
  /// original.
  var clean: [UInt8]
  /// The depth to which stage 4 cleans the data.
  var depth = CleaningDepth.asIs
}

extension SourceFacts {
  /// Creates the facts from the container of an original.
  init(_ facts: ImageFacts, sha256: String, colorProfile: String?) {
    self.init(
      sha256: sha256, orientation: facts.orientation,
      frameCount: facts.fileFrameCount ?? facts.frameCount, hasAlpha: facts.hasAlpha,
      colorProfile: colorProfile, capturedAt: facts.exif?.capturedAt,
      hasLocation: facts.hasLocation)
  }
}

extension DecodedPhoto {
  /// Creates the result from stage 4's product for a photo.
  init(_ product: Normalizer.Product, of photo: ParsedPhoto) {
    let facts = photo.facts
    var blobFrames = facts.frameCount
    // libwebp merges equal frames when it encodes an animation again, and adds up their durations.
    if blobFrames > 1, product.normalization.method == .reEncoded,
      let made = try? ImageContainer.parse(product.blob, as: photo.plan.blobFormat)
    {
      blobFrames = min(blobFrames, made.frameCount)
    }
    self.init(
      facts: Facts(
        format: facts.format, pixelWidth: facts.uprightWidth, pixelHeight: facts.uprightHeight,
        source: SourceFacts(
          facts, sha256: photo.received.sha256, colorProfile: photo.plan.colorProfile),
        position: facts.exif?.position,
        normalization: product.normalization, blobFormat: photo.plan.blobFormat,
        blobFrames: blobFrames, previewFormat: product.preview.format,
        perceptualHash: product.preview.perceptualHash,
        libraries: LibraryVersions.used(for: facts.format)),
      blob: product.blob, preview: product.preview.bytes)
  }
}
