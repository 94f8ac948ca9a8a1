import ImageContainers

/// Stage 4, which makes the blob and its preview from the clean container with one decode.
enum Normalizer {
  /// The blob and preview that stage 4 made, and the normalization that it did.
  typealias Product = (blob: [UInt8], preview: DecodedPreview, normalization: Normalization)

  /// Makes the blob and preview of a photo.
  ///
  /// - Returns: The product. Its normalization differs from the plan if codes that the plan keeps had to be coded anew.
  static func normalize(
    _ photo: ParsedPhoto, policy: PhotoPolicy, onStage: (PhotoStage) -> Void
  ) throws -> Product {
    onStage(.decode)
    if let (blob, preview) = try asCoded(photo, policy: policy, onStage: onStage) {
      return (blob, preview, photo.plan.normalization)
    }
    try checkWhole(photo, policy: policy)
    var plan = photo.plan
    plan.codeAnew()
    if let (blob, preview) = try animationCodedAnew(photo, policy: policy, onStage: onStage) {
      return (blob, preview, plan.normalization)
    }
    let first = try firstFrame(of: photo, policy: policy)
    let (encoded, preview) = try PictureDecoder.reEncoded(
      first?.png ?? photo.clean, facts: photo.facts, offset: first.map { ($0.left, $0.top) },
      plan: plan, policy: policy, onStage: onStage)
    return (try Verifier.clean(encoded, as: plan.blobFormat), preview, plan.normalization)
  }

  /// Returns the blob of a photo whose codes stay.
  ///
  /// - Returns: `nil` if its pixels have to be coded anew.
  private static func asCoded(
    _ photo: ParsedPhoto, policy: PhotoPolicy, onStage: (PhotoStage) -> Void
  ) throws -> (blob: [UInt8], preview: DecodedPreview)? {
    guard photo.facts.format != .jpeg else {
      return try jpegAsCoded(photo, policy: policy, onStage: onStage)
    }
    guard photo.plan.normalization.method == .carriedOver,
      let carried = try carriedOver(photo, policy: policy, onStage: onStage)
    else { return nil }
    guard !carried.isLeft else { return (carried.blob, .left) }
    let first = try firstFrame(of: photo, policy: policy)
    let preview = try PictureDecoder.previewVerifyingWhole(
      first?.png ?? carried.blob, facts: photo.facts, offset: first.map { ($0.left, $0.top) },
      policy: policy, onStage: onStage)
    if photo.isAPNG {
      onStage(.decode)
      // The blob also keeps the picture in IDAT, for decoders that don't support APNG.
      try PictureDecoder.decodeWhole(photo.clean, as: .png)
      try decodeLaterFrames(of: photo.clean, limits: policy.limits)
    }
    return (carried.blob, preview)
  }

  /// Decodes all pictures of a photo and discards the pixels. Refuses data that is truncated or damaged.
  static func decodeWhole(_ photo: ParsedPhoto, policy: PhotoPolicy) throws {
    guard photo.facts.format == .heic else {
      try PictureDecoder.decodeWhole(photo.clean, as: photo.facts.format)
      if photo.isAPNG { try decodeLaterFrames(of: photo.clean, limits: policy.limits) }
      return
    }
    try PictureDecoder.decodeWholeHEIC(photo.clean, photo.facts, policy: policy)
  }

  /// Returns the first frame of an APNG and its offset in the canvas, or `nil` for any other photo.
  private static func firstFrame(
    of photo: ParsedPhoto, policy: PhotoPolicy
  ) throws -> (png: [UInt8], left: Int, top: Int)? {
    photo.isAPNG ? try PNGContainer.firstFrame(of: photo.clean, limits: policy.limits) : nil
  }

  /// Refuses a JPEG with missing pixels, because a decoder would fill in pixels in their place.
  ///
  /// - Parameter photo: A photo that will be decoded and encoded again. The proof verifies carried-over photos.
  /// - Throws: `PhotoError.unverified` if bytes follow its last code. The pipeline then reads the photo again without
  ///   them.
  static func checkWhole(_ photo: ParsedPhoto, policy: PhotoPolicy) throws {
    guard photo.facts.format == .jpeg,
      try JPEGContainer.withoutSurplus(photo.clean, limits: policy.limits) != nil
    else { return }
    throw PhotoError.unverified(what: JPEGContainer.surplusRepair)
  }

  /// Returns a photo's codes as they are, or without the bytes that the proof refuses.
  ///
  /// - Parameter photo: A photo whose pixels stay as they are in `clean`.
  /// - Returns: The blob, and whether the proof makes its preview from the pixels that it sees while reading. `nil` if
  ///   the pixels have to be coded anew.
  static func carriedOver(
    _ photo: ParsedPhoto, policy: PhotoPolicy, onStage: (PhotoStage) -> Void
  ) throws -> (blob: [UInt8], isLeft: Bool)? {
    // After this repair, the rows are stored without compression. They are meant for a decoder, not for a blob.
    guard !photo.facts.repairs.contains(PNGContainer.checksumRepair) else { return nil }
    let clean = photo.clean
    let format = photo.facts.format
    let side = policy.previewSide
    if photo.depth == .asIs, format != .jpeg || ContainerProof.readsHeader(of: clean) {
      let size = ContainerProof.reducedSize(of: clean, as: format, reducedTo: side)
      return (clean, size.map { format == .png || max($0.width, $0.height) >= side } ?? false)
    }
    guard let blob = try trimmed(photo, policy: policy, onStage: onStage),
      photo.depth == .asIs || Verifier.accepts(blob, as: format)
    else { return nil }
    let size = ContainerProof.reducedSize(of: blob, as: format)
    return (blob, size.map { max($0.width, $0.height) >= side } ?? false)
  }

  /// Returns the codes without bytes that no pixel needs, or `nil` if only a decoder can read them.
  private static func trimmed(
    _ photo: ParsedPhoto, policy: PhotoPolicy, onStage: (PhotoStage) -> Void
  ) throws -> [UInt8]? {
    switch photo.facts.format {
    case .jpeg: return try JPEGContainer.codedAnew(photo.clean, limits: policy.limits)
    case .webp:
      onStage(.decode)
      return try trimmedWebP(photo)
    case .png, .gif, .heic: return photo.clean
    }
  }

  /// Returns a WebP without the bytes after its compressed data, or `nil` if that changes its pixels.
  ///
  /// If the pixels change, libwebp reads past the place where our reader ends, so the picture has to be coded anew.
  private static func trimmedWebP(_ photo: ParsedPhoto) throws -> [UInt8]? {
    let trimmed = try Verifier.clean(photo.clean, as: .webp)
    let isSame =
      try PictureDecoder.pixelDigest(of: trimmed, as: .webp)
      == PictureDecoder.pixelDigest(of: photo.clean, as: .webp)
    return isSame ? trimmed : nil
  }

  /// Decodes the frames after the first one to check them.
  ///
  /// Each frame is decoded as a PNG of its own, because libvips 8.14 doesn't support APNG.
  private static func decodeLaterFrames(
    of apng: [UInt8], limits: ContainerLimits
  ) throws {
    // The sequence is lazy, so only one frame is in memory at a time.
    for frame in try PNGContainer.frames(of: apng, limits: limits).dropFirst() {
      try PictureDecoder.decodeWhole(frame, as: .png)
    }
  }
}

extension ParsedPhoto {
  fileprivate var isAPNG: Bool { facts.format == .png && facts.loopCount != nil }
}

extension Normalizer {
  /// Returns the blob and preview of an APNG whose pixels have to change.
  ///
  /// Decodes and encodes each picture as a PNG of its own, because libvips 8.14 doesn't support APNG. The animation's
  /// structure stays. Frames aren't composed, because a browser composes them as in the original.
  ///
  /// - Returns: `nil` for any other photo, and for a single frame, which becomes a still picture.
  static func animationCodedAnew(
    _ photo: ParsedPhoto, policy: PhotoPolicy, onStage: (PhotoStage) -> Void
  ) throws -> (blob: [UInt8], preview: DecodedPreview)? {
    guard photo.facts.format == .png, photo.facts.frameCount > 1,
      let recoding = try PNGRecoding(photo.clean, limits: policy.limits)
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
    guard let blob = try? recoding.joined(pictures, turnedFrom: orientation) else {
      // Only pictures from our own encoder are joined here, so a mismatch is a fault of this program.
      throw PhotoError.fault(.encoderStructure)
    }

    var upright = photo.facts
    upright.storedWidth = photo.facts.uprightWidth
    upright.storedHeight = photo.facts.uprightHeight
    upright.orientation = 1
    let first = recoding.firstFrame
    let preview = try PictureDecoder.previewVerifyingWhole(
      pictures[first], facts: upright, offset: recoding.place(of: first, turnedFrom: orientation),
      policy: policy, onStage: onStage)
    return (blob, preview)
  }
}

extension Normalizer {
  /// Returns the blob and preview of a JPEG whose colors stay, made from its codes.
  ///
  /// Reorders the codes if the picture has to be turned. This is lossless, and faster than decoding.
  ///
  /// Doesn't read the codes if the proof will read them anyway and return the small picture for the preview.
  ///
  /// - Returns: `nil` if this JPEG has to be decoded and encoded again.
  static func jpegAsCoded(
    _ photo: ParsedPhoto, policy: PhotoPolicy, onStage: (PhotoStage) -> Void
  ) throws -> (blob: [UInt8], preview: DecodedPreview)? {
    let reasons = photo.plan.normalization.reasons
    guard photo.facts.format == .jpeg, reasons.isEmpty || reasons == [.orientation] else {
      return nil
    }
    var upright = photo
    if !reasons.isEmpty {
      onStage(.encode)
      let turned = try JPEGContainer.turned(
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
    let preview = try PictureDecoder.previewVerifyingWhole(
      carried.blob, facts: upright.facts, policy: policy, onStage: onStage)
    return (carried.blob, preview)
  }
}
