import ImageContainers

/// Stage 4: makes the blob and its preview from the clean container, with one decode.
enum Normalizer {
  /// What stage 4 made, and how.
  typealias Product = (blob: [UInt8], preview: DecodedPreview, normalization: Normalization)

  /// - Returns: the normalization that was done, too: what was planned, unless the codes of a JPEG
  ///   that was to be carried over cannot be followed.
  static func normalize(
    _ photo: WalkedPhoto, policy: PhotoPolicy, entering: (PhotoStage) -> Void
  ) throws(PhotoError) -> Product {
    let isAPNG = photo.facts.format == .png && photo.facts.loopCount != nil
    let first = isAPNG ? try Walker.firstFrame(of: photo.clean, limits: policy.limits) : nil
    let place = first.map { ($0.left, $0.top) }
    entering(.decode)
    var plan = photo.plan
    if let (blob, preview) = try jpegAsCoded(photo, policy: policy, entering: entering) {
      return (blob, preview, plan.normalization)
    }
    if let (blob, preview) = try animationCodedAnew(photo, policy: policy, entering: entering) {
      return (blob, preview, plan.normalization)
    }
    // What only a decoder can read is never carried over: anything could hide in it.
    guard photo.facts.format != .jpeg, plan.normalization.method == .carriedOver,
      let carried = try carriedOver(photo, policy: policy, entering: entering)
    else {
      plan.codeAnew()
      let (encoded, preview) = try PictureDecoder.reEncoded(
        first?.png ?? photo.clean, facts: photo.facts, place: place, plan: plan,
        policy: policy, entering: entering)
      let blob = try Prover.clean(encoded, as: plan.blobFormat)
      return (blob, preview, plan.normalization)
    }
    guard !carried.isLeft else { return (carried.blob, .left, plan.normalization) }
    let preview = try PictureDecoder.previewProvingWhole(
      first?.png ?? carried.blob, facts: photo.facts, place: place, policy: policy,
      entering: entering)
    if isAPNG {
      entering(.decode)
      // The picture in IDAT comes along for decoders that know no APNG.
      try PictureDecoder.decodeWhole(photo.clean, as: .png)
      try proveLaterFrames(of: photo.clean, limits: policy.limits)
    }
    return (carried.blob, preview, plan.normalization)
  }

  /// A photo's codes, as far as its depth goes: as they are, without what lies behind the last one, or
  /// read one by one.
  ///
  /// - Parameter photo: one whose pixels stay as they stand in `clean`.
  /// - Returns: the blob; whether its preview is left to the proof, which sees pixels by the way; and
  ///   the small picture where reading has given one. Nil when the codes can only be made again.
  static func carriedOver(
    _ photo: WalkedPhoto, policy: PhotoPolicy, entering: (PhotoStage) -> Void
  ) throws(PhotoError) -> (blob: [UInt8], isLeft: Bool, eighth: ReducedPicture?)? {
    let (clean, format, side) = (photo.clean, photo.facts.format, policy.previewSide)
    if photo.depth == .leftToProof, format == .jpeg || format == .png,
      let size = ContainerProof.reducedSize(of: clean, as: format, reducedTo: side)
    {
      let isLeft = format == .png || max(size.width, size.height) >= side
      // What is likely to be refused is not decoded for a preview before.
      if isLeft || ContainerProof.hasStandardSteps(clean) { return (clean, isLeft, nil) }
    }
    switch (format, photo.depth) {
    case (.jpeg, _):
      return try Walker.read(clean, limits: policy.limits).map { ($0.file, false, $0.eighth) }
    case (.webp, .read):
      entering(.decode)
      return try trimmedWebP(photo).map { ($0, false, nil) }
    default:
      return (clean, false, nil)
    }
  }

  /// A WebP without the bytes behind its compressed data; nil when it has other pixels without
  /// them. Then libwebp reads on where our reader ends, and the picture has to be coded again.
  private static func trimmedWebP(_ photo: WalkedPhoto) throws(PhotoError) -> [UInt8]? {
    let trimmed = try Prover.clean(photo.clean, as: .webp)
    let isSame =
      try PictureDecoder.pixelDigest(of: trimmed, as: .webp)
      == PictureDecoder.pixelDigest(of: photo.clean, as: .webp)
    return isSame ? trimmed : nil
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
