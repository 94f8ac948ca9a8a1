import ImageContainers

/// Stage 4: makes the blob and its preview from the clean container, with one decode.
enum Normalizer {
  static func normalize(
    _ photo: WalkedPhoto, policy: PhotoPolicy, entering: (PhotoStage) -> Void
  ) throws(PhotoError) -> (blob: [UInt8], preview: PictureDecoder.Preview) {
    let isAPNG = photo.facts.format == .png && photo.facts.loopCount != nil
    let first = isAPNG ? try Walker.firstFrame(of: photo.clean, limits: policy.limits) : nil
    let place = first.map { ($0.left, $0.top) }
    entering(.decode)
    switch photo.plan.normalization.method {
    case .carriedOver:
      let preview = try PictureDecoder.previewProvingWhole(
        first?.png ?? photo.clean, facts: photo.facts, place: place, policy: policy,
        entering: entering)
      guard isAPNG else { return (photo.clean, preview) }
      entering(.decode)
      // The picture in IDAT comes along for decoders that know no APNG.
      try PictureDecoder.decodeWhole(photo.clean, as: .png)
      try proveLaterFrames(of: photo.clean, limits: policy.limits)
      return (photo.clean, preview)
    case .reEncoded:
      if let turned = try turned(photo, policy: policy, entering: entering) { return turned }
      let (encoded, preview) = try PictureDecoder.reEncoded(
        first?.png ?? photo.clean, facts: photo.facts, place: place, plan: photo.plan,
        policy: policy, entering: entering)
      let blob = try Prover.clean(encoded, as: photo.plan.blobFormat)
      return (blob, preview)
    }
  }

  /// A JPEG that only has to be turned is turned without decoding where that is possible: faster, and
  /// no pixel loses anything.
  private static func turned(
    _ photo: WalkedPhoto, policy: PhotoPolicy, entering: (PhotoStage) -> Void
  ) throws(PhotoError) -> (blob: [UInt8], preview: PictureDecoder.Preview)? {
    guard photo.facts.format == .jpeg, photo.plan.normalization.reasons == [.orientation] else {
      return nil
    }
    entering(.encode)
    let blob = try Walker.turned(
      photo.clean, orientation: photo.facts.orientation, limits: policy.limits)
    entering(.decode)
    guard let blob else { return nil }
    var facts = photo.facts
    (facts.storedWidth, facts.storedHeight) = (facts.uprightWidth, facts.uprightHeight)
    facts.orientation = 1
    let preview = try PictureDecoder.previewProvingWhole(
      blob, facts: facts, policy: policy, entering: entering)
    return (blob, preview)
  }

  /// libvips 8.14 knows no APNG; the frames behind the first are proved one by one.
  private static func proveLaterFrames(
    of apng: [UInt8], limits: ContainerLimits
  ) throws(PhotoError) {
    // Lazy: one frame at a time is made and decoded.
    for frame in try Walker.frames(of: apng, limits: limits).dropFirst() {
      try PictureDecoder.decodeWhole(frame, as: .png)
    }
  }
}
