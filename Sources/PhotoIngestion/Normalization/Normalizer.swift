import ImageContainers

/// Stage 4: makes the blob and its preview from the clean container, with one decode.
enum Normalizer {
  /// What stage 4 made, and how.
  typealias Product = (blob: [UInt8], preview: DecodedPreview, normalization: Normalization)

  /// - Returns: the normalization that was done, too: what was planned, unless what was to be carried over has
  ///   to be coded anew.
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
      first?.png ?? photo.clean, facts: photo.facts, place: first.map { ($0.left, $0.top) },
      plan: plan, policy: policy, onStage: onStage)
    return (try Verifier.clean(encoded, as: plan.blobFormat), preview, plan.normalization)
  }

  /// Returns the blob of a photo whose codes stay.
  ///
  /// - Returns: nil when its pixels have to be coded anew.
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
      first?.png ?? carried.blob, facts: photo.facts, place: first.map { ($0.left, $0.top) },
      policy: policy, onStage: onStage)
    if photo.isAPNG {
      onStage(.decode)
      // The picture in IDAT comes along for decoders that know no APNG.
      try PictureDecoder.decodeWhole(photo.clean, as: .png)
      try decodeLaterFrames(of: photo.clean, limits: policy.limits)
    }
    return (carried.blob, preview)
  }

  private static func firstFrame(
    of photo: ParsedPhoto, policy: PhotoPolicy
  ) throws -> (png: [UInt8], left: Int, top: Int)? {
    photo.isAPNG ? try PNGContainer.firstFrame(of: photo.clean, limits: policy.limits) : nil
  }

  /// Refuses a JPEG of which pixels are missing, before a decoder shows something in their place.
  ///
  /// - Parameter photo: one that is to be decoded and encoded again: what is carried over is verified whole.
  /// - Throws: `PhotoError.unverified` when bytes are left over behind its codes, so that it is read again
  ///   without them.
  static func checkWhole(_ photo: ParsedPhoto, policy: PhotoPolicy) throws {
    guard photo.facts.format == .jpeg,
      try JPEGContainer.withoutSurplus(photo.clean, limits: policy.limits) != nil
    else { return }
    throw PhotoError.unverified(what: JPEGContainer.surplusRepair)
  }

  /// Returns a photo's codes: as they are, or without what the proof refuses.
  ///
  /// - Parameter photo: one whose pixels stay as they stand in `clean`.
  /// - Returns: the blob, and whether its preview is left to the proof, which sees pixels by the way. Nil
  ///   when the codes can only be made again.
  static func carriedOver(
    _ photo: ParsedPhoto, policy: PhotoPolicy, onStage: (PhotoStage) -> Void
  ) throws -> (blob: [UInt8], isLeft: Bool)? {
    // Its rows were made again for a decoder alone, and take as many bytes as there are.
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

  /// Returns the codes without what no pixel needs; nil when only a decoder can read them.
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

  /// Returns a WebP without the bytes behind its compressed data; nil when it has other pixels without
  /// them. Then libwebp reads on where our reader ends, and the picture has to be coded again.
  private static func trimmedWebP(_ photo: ParsedPhoto) throws -> [UInt8]? {
    let trimmed = try Verifier.clean(photo.clean, as: .webp)
    let isSame =
      try PictureDecoder.pixelDigest(of: trimmed, as: .webp)
      == PictureDecoder.pixelDigest(of: photo.clean, as: .webp)
    return isSame ? trimmed : nil
  }

  /// Decodes the frames after the first one by one, as libvips 8.14 knows no APNG.
  private static func decodeLaterFrames(
    of apng: [UInt8], limits: ContainerLimits
  ) throws {
    // Lazy: one frame at a time is made and decoded.
    for frame in try PNGContainer.frames(of: apng, limits: limits).dropFirst() {
      try PictureDecoder.decodeWhole(frame, as: .png)
    }
  }
}

extension ParsedPhoto {
  fileprivate var isAPNG: Bool { facts.format == .png && facts.loopCount != nil }
}

extension Normalizer {
  /// Returns the blob of an APNG whose pixels have to change: each picture is decoded by itself,
  /// which libvips 8.14 can, and coded again, one at a time; the animation around them stays.
  /// Frames are not composed: a browser lays them as it laid the original's.
  ///
  /// - Returns: nil for any other photo, and for a single frame, which is a still picture then.
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
      // What does not fit is our own encoder's.
      throw PhotoError.fault(.encoderStructure)
    }

    var upright = photo.facts
    upright.storedWidth = photo.facts.uprightWidth
    upright.storedHeight = photo.facts.uprightHeight
    upright.orientation = 1
    let first = recoding.firstFrame
    let preview = try PictureDecoder.previewVerifyingWhole(
      pictures[first], facts: upright, place: recoding.place(of: first, turnedFrom: orientation),
      policy: policy, onStage: onStage)
    return (blob, preview)
  }
}

extension Normalizer {
  /// Returns the blob of a JPEG whose colors stay, made from its codes: read one by one, and put
  /// into another order when the picture has to be turned. No pixel loses anything, and it is
  /// faster than decoding.
  ///
  /// Where the proof reads the codes anyway and gives the small picture, they are left to it.
  ///
  /// - Returns: nil when this JPEG is left to a decoder.
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
