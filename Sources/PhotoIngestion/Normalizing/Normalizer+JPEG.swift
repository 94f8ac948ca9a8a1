import ImageContainers

extension Normalizer {
  /// The blob of a JPEG whose colors stay, made from its codes: read one by one, and put into another
  /// order when the picture has to be turned. No pixel loses anything, and it is faster than decoding.
  ///
  /// Where the proof reads the codes anyway and gives the small picture, they are left to it.
  ///
  /// - Returns: nil when this JPEG is left to a decoder.
  static func jpegAsCoded(
    _ photo: WalkedPhoto, policy: PhotoPolicy, entering: (PhotoStage) -> Void
  ) throws(PhotoError) -> (blob: [UInt8], preview: DecodedPreview)? {
    let reasons = photo.plan.normalization.reasons
    guard photo.facts.format == .jpeg, reasons.isEmpty || reasons == [.orientation] else {
      return nil
    }
    var facts = photo.facts
    var jpeg = photo.clean
    if !reasons.isEmpty {
      entering(.encode)
      let turned = try Walker.turned(
        jpeg, orientation: facts.orientation, limits: policy.limits)
      entering(.decode)
      guard let turned else { return nil }
      jpeg = turned
      (facts.storedWidth, facts.storedHeight) = (facts.uprightWidth, facts.uprightHeight)
      facts.orientation = 1
    }
    if photo.care == .leftToProof, let size = ContainerProof.reducedSize(of: jpeg, as: .jpeg) {
      let isEnough = max(size.width, size.height) >= policy.previewSide
      return (
        jpeg,
        isEnough
          ? .left
          : try PictureDecoder.previewProvingWhole(
            jpeg, facts: facts, policy: policy, entering: entering)
      )
    }
    guard let reading = try Walker.read(jpeg, limits: policy.limits) else { return nil }
    if let eighth = reading.eighth, max(eighth.width, eighth.height) >= policy.previewSide {
      entering(.preview)
      let small = SmallPicture(
        pixels: eighth.samples, width: eighth.width, height: eighth.height, bands: eighth.bands)
      return (reading.file, try PictureDecoder.preview(of: small, policy: policy))
    }
    let preview = try PictureDecoder.previewProvingWhole(
      reading.file, facts: facts, policy: policy, entering: entering)
    return (reading.file, preview)
  }
}
