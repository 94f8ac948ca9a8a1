import ImageContainers

/// Stage 4: makes the blob and its preview from the clean container, with one decode.
enum Normalizer {
  /// What stage 4 made, and how.
  typealias Product = (blob: [UInt8], preview: DecodedPreview, normalization: Normalization)

  /// - Returns: the normalization that was done, too: what was planned, unless the codes of a JPEG
  ///   that was to be carried over cannot be followed.
  static func normalize(
    _ photo: WalkedPhoto, policy: PhotoPolicy, onStage: (PhotoStage) -> Void
  ) throws(PhotoError) -> Product {
    let isAPNG = photo.facts.format == .png && photo.facts.loopCount != nil
    let first = isAPNG ? try Walker.firstFrame(of: photo.clean, limits: policy.limits) : nil
    let place = first.map { ($0.left, $0.top) }
    onStage(.decode)
    var plan = photo.plan
    if let (blob, preview) = try jpegAsCoded(photo, policy: policy, onStage: onStage) {
      return (blob, preview, plan.normalization)
    }
    if let (blob, preview) = try animationCodedAnew(photo, policy: policy, onStage: onStage) {
      return (blob, preview, plan.normalization)
    }
    // What only a decoder can read is never carried over: anything could hide in it.
    guard photo.facts.format != .jpeg, plan.normalization.method == .carriedOver,
      let carried = try carriedOver(photo, policy: policy, onStage: onStage)
    else {
      try checkWhole(photo, policy: policy)
      plan.codeAnew()
      let (encoded, preview) = try PictureDecoder.reEncoded(
        first?.png ?? photo.clean, facts: photo.facts, place: place, plan: plan,
        policy: policy, onStage: onStage)
      let blob = try Prover.clean(encoded, as: plan.blobFormat)
      return (blob, preview, plan.normalization)
    }
    guard !carried.isLeft else { return (carried.blob, .left, plan.normalization) }
    let preview = try PictureDecoder.previewProvingWhole(
      first?.png ?? carried.blob, facts: photo.facts, place: place, policy: policy,
      onStage: onStage)
    if isAPNG {
      onStage(.decode)
      // The picture in IDAT comes along for decoders that know no APNG.
      try PictureDecoder.decodeWhole(photo.clean, as: .png)
      try proveLaterFrames(of: photo.clean, limits: policy.limits)
    }
    return (carried.blob, preview, plan.normalization)
  }

  /// Refuses a JPEG of which pixels are missing, before a decoder shows something in their place.
  ///
  /// - Parameter photo: one that is to be decoded and encoded again: what is carried over is proved whole.
  static func checkWhole(_ photo: WalkedPhoto, policy: PhotoPolicy) throws(PhotoError) {
    guard photo.facts.format == .jpeg else { return }
    try Walker.checkWhole(photo.clean, limits: policy.limits)
  }

  /// A photo's codes, as far as its depth goes: as they are, without what lies behind the last one, or
  /// read one by one.
  ///
  /// - Parameter photo: one whose pixels stay as they stand in `clean`.
  /// - Returns: the blob, and whether its preview is left to the proof, which sees pixels by the way. Nil
  ///   when the codes can only be made again.
  static func carriedOver(
    _ photo: WalkedPhoto, policy: PhotoPolicy, onStage: (PhotoStage) -> Void
  ) throws(PhotoError) -> (blob: [UInt8], isLeft: Bool)? {
    let (clean, format, side) = (photo.clean, photo.facts.format, policy.previewSide)
    if photo.depth == .leftToProof, format == .jpeg || format == .png,
      let size = ContainerProof.reducedSize(of: clean, as: format, reducedTo: side)
    {
      let isLeft = format == .png || max(size.width, size.height) >= side
      // What is likely to be refused is not decoded for a preview before.
      if isLeft || ContainerProof.hasStandardSteps(clean) { return (clean, isLeft) }
    }
    switch (format, photo.depth) {
    case (.jpeg, _):
      guard let file = try Walker.read(clean, limits: policy.limits) else { return nil }
      let size = ContainerProof.reducedSize(of: file, as: .jpeg)
      return (file, size.map { max($0.width, $0.height) >= side } ?? false)
    case (.webp, .read):
      onStage(.decode)
      return try trimmedWebP(photo).map { ($0, false) }
    default:
      return (clean, false)
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

extension Normalizer {
  /// The blob of an APNG whose pixels have to change: each picture is decoded by itself, which libvips
  /// 8.14 can, and coded again, one at a time; the animation around them stays. Frames are not composed:
  /// a browser lays them as it laid the original's.
  ///
  /// - Returns: nil for any other photo, and for a single frame, which is a still picture then.
  static func animationCodedAnew(
    _ photo: WalkedPhoto, policy: PhotoPolicy, onStage: (PhotoStage) -> Void
  ) throws(PhotoError) -> (blob: [UInt8], preview: DecodedPreview)? {
    guard photo.facts.format == .png, photo.facts.frameCount > 1,
      photo.plan.normalization.method == .reEncoded,
      let recoding = try Walker.recoding(of: photo.clean, limits: policy.limits)
    else { return nil }
    let orientation = photo.facts.orientation
    onStage(.encode)
    var pictures: [[UInt8]] = []
    for index in 0..<recoding.count {
      pictures.append(
        try PictureDecoder.pngCodedAnew(
          recoding.picture(index), orientation: orientation, source: photo.plan.colors,
          policy: policy))
    }
    let blob = try Walker.joined(pictures, in: recoding, turnedFrom: orientation)

    var upright = photo.facts
    (upright.storedWidth, upright.storedHeight) = (upright.uprightWidth, upright.uprightHeight)
    upright.orientation = 1
    let first = recoding.firstFrame
    let preview = try PictureDecoder.previewProvingWhole(
      pictures[first], facts: upright, place: recoding.place(of: first, turnedFrom: orientation),
      policy: policy, onStage: onStage)
    return (blob, preview)
  }
}

extension Normalizer {
  /// The blob of a JPEG whose colors stay, made from its codes: read one by one, and put into another
  /// order when the picture has to be turned. No pixel loses anything, and it is faster than decoding.
  ///
  /// Where the proof reads the codes anyway and gives the small picture, they are left to it.
  ///
  /// - Returns: nil when this JPEG is left to a decoder.
  static func jpegAsCoded(
    _ photo: WalkedPhoto, policy: PhotoPolicy, onStage: (PhotoStage) -> Void
  ) throws(PhotoError) -> (blob: [UInt8], preview: DecodedPreview)? {
    let reasons = photo.plan.normalization.reasons
    guard photo.facts.format == .jpeg, reasons.isEmpty || reasons == [.orientation] else {
      return nil
    }
    var upright = photo
    if !reasons.isEmpty {
      onStage(.encode)
      let turned = try Walker.turned(
        photo.clean, orientation: photo.facts.orientation, limits: policy.limits)
      onStage(.decode)
      guard let turned else { return nil }
      upright.clean = turned
      upright.facts.storedWidth = photo.facts.uprightWidth
      upright.facts.storedHeight = photo.facts.uprightHeight
      upright.facts.orientation = 1
    }
    guard let carried = try carriedOver(upright, policy: policy, onStage: onStage) else {
      return nil
    }
    guard !carried.isLeft else { return (carried.blob, .left) }
    let preview = try PictureDecoder.previewProvingWhole(
      carried.blob, facts: upright.facts, policy: policy, onStage: onStage)
    return (carried.blob, preview)
  }
}
