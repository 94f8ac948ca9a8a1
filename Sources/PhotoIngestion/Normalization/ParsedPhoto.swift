import ImageContainers

/// Stages 1 to 3 done: the format, what the container says, and the clean container that alone is
/// given to a decoder.
struct ParsedPhoto {
  var received: ReceivedFile
  var facts: ImageFacts
  var plan: NormalizationPlan
  /// The container with nothing but what decoding needs. Metadata parsers of the C libraries never
  /// see the original.
  var clean: [UInt8]
  /// How far stage 4 goes into the data.
  var depth = CleaningDepth.asIs
}

extension SourceFacts {
  /// What the container of an original says.
  init(_ facts: ImageFacts, sha256: String, colorProfile: String?) {
    self.init(
      sha256: sha256, orientation: facts.orientation,
      frameCount: facts.fileFrameCount ?? facts.frameCount, hasAlpha: facts.hasAlpha,
      colorProfile: colorProfile, capturedAt: facts.exif?.capturedAt,
      hasLocation: facts.hasLocation)
  }
}

extension DecodedPhoto {
  /// What stage 4 made of a photo.
  init(_ product: Normalizer.Product, of photo: ParsedPhoto) {
    let facts = photo.facts
    var blobFrames = facts.frameCount
    // Frames that look alike become one when libwebp codes an animation again; their times add up.
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
        perceptualHash: product.preview.perceptualHash, libraries: LibraryVersions.used(for: facts.format)),
      blob: product.blob, preview: product.preview.bytes)
  }
}
