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
    var upright = photo
    if !reasons.isEmpty {
      entering(.encode)
      let turned = try Walker.turned(
        photo.clean, orientation: photo.facts.orientation, limits: policy.limits)
      entering(.decode)
      guard let turned else { return nil }
      upright.clean = turned
      upright.facts.storedWidth = photo.facts.uprightWidth
      upright.facts.storedHeight = photo.facts.uprightHeight
      upright.facts.orientation = 1
    }
    guard let carried = try carriedOver(upright, policy: policy, entering: entering) else {
      return nil
    }
    guard !carried.isLeft else { return (carried.blob, .left) }
    if let eighth = carried.eighth, max(eighth.width, eighth.height) >= policy.previewSide {
      entering(.preview)
      let small = SmallPicture(
        pixels: eighth.samples, width: eighth.width, height: eighth.height, bands: eighth.bands)
      return (carried.blob, try PictureDecoder.preview(of: small, policy: policy))
    }
    let preview = try PictureDecoder.previewProvingWhole(
      carried.blob, facts: upright.facts, policy: policy, entering: entering)
    return (carried.blob, preview)
  }
}
