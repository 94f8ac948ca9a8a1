import ImageContainers

/// Decodes with libvips. A `VipsPicture` reads the bytes that it was made from as long as it exists, so pictures stay
/// inside these functions.
enum PictureDecoder {
  /// Decodes all of the data once and returns the first frame's preview. Refuses data that is truncated or damaged.
  ///
  /// A JPEG or still WebP is decoded at the smallest scale that still fills the preview. All of the entropy-coded data
  /// is still read. If there is an `offset`, the bytes are a frame at that offset on the canvas.
  static func previewVerifyingWhole(
    _ bytes: [UInt8], facts: ImageFacts, offset: (left: Int, top: Int)? = nil, policy: PhotoPolicy,
    onStage: (PhotoStage) -> Void
  ) throws -> DecodedPreview {
    let shrink = decoderShrink(facts, side: policy.previewSide)
    return try VipsPicture.reading(bytes, as: facts.format, shrink: shrink) {
      picture in
      guard let offset else {
        return try preview(of: picture, orientation: 1, policy: policy, onStage: onStage)
      }
      let canvas = try picture.inSRGB(from: nil).onCanvas(of: facts, at: offset)
      return try preview(of: canvas, orientation: 1, policy: policy, onStage: onStage)
    }
  }

  /// Decodes a still picture completely and discards the pixels.
  static func decodeWhole(_ bytes: [UInt8], as format: ImageFormat) throws {
    try VipsPicture.reading(bytes, as: format) { picture in
      _ = try picture.inMemory()
    }
  }

  /// Decodes all tiles of a HEIC and of its alpha, and discards the pixels.
  static func decodeWholeHEIC(
    _ bytes: [UInt8], _ facts: ImageFacts, policy: PhotoPolicy
  ) throws {
    if facts.layerPixels > 0,
      let overlay = try HEICContainer.overlay(in: bytes, limits: policy.limits)
    {
      return _ = try compose(overlay, policy: policy)
    }
    if let streams = try HEICContainer.streams(in: bytes, limits: policy.limits) {
      let isDecoded = try bytes.span.withUnsafeBytes { buffer in
        func isDecoded(_ picture: HEVCPicture?, _ product: HEVCDecoder.Product) throws -> Bool {
          try picture.map {
            try HEVCDecoder.forEachStrip(
              of: $0, in: buffer, threads: policy.threadsPerPhoto, as: product
            ) { _ in }
          } ?? true
        }
        return try isDecoded(streams.color, .colors(nil)) && isDecoded(streams.alpha, .luma)
      }
      if isDecoded { return }
      if streams.takesOurDecoder { throw PhotoError.unsupportedFormat(detected: "heif-alpha") }
    }
    try byVips(bytes, as: .heic) { _ = try $0.inMemory() }
  }

  /// Decodes the data, converts it to upright 8-bit sRGB and encodes it again. If there is an `offset`, the bytes are a
  /// frame at that offset on the canvas.
  static func reEncoded(
    _ bytes: [UInt8], facts: ImageFacts, offset: (left: Int, top: Int)? = nil,
    plan: NormalizationPlan, policy: PhotoPolicy, onStage: (PhotoStage) -> Void
  ) throws -> (blob: [UInt8], preview: DecodedPreview) {
    if facts.layerPixels > 0,
      let overlay = try HEICContainer.overlay(in: bytes, limits: policy.limits)
    {
      let canvas = try compose(overlay, policy: policy)
      return try canvas.reading { upright in
        try encode(upright, facts, plan, policy, onStage)
      }
    }
    if facts.format == .heic,
      let streams = try HEICContainer.streams(in: bytes, limits: policy.limits)
    {
      if let product = try encodedInStrips(
        streams, in: bytes, facts: facts, plan: plan, policy: policy, onStage: onStage)
      {
        return product
      }
      if let picture = try StreamedPicture(
        streams, in: bytes, facts: facts, source: plan.colors, policy: policy)
      {
        return try picture.reading { upright in
          try encode(upright, facts, plan, policy, onStage)
        }
      }
    }
    return try byVips(bytes, as: facts.format) { picture in
      let conversion = plan.colors?.conversion()
      let isThreeBytes = picture.is8Bit && picture.bands == 3 && picture.pageCount == 1
      if isThreeBytes, offset == nil, plan.colors == nil || conversion != nil {
        let canvas = try picture.painted(
          orientation: facts.orientationToApply, converting: conversion)
        return try canvas.reading { upright in
          try encode(upright, facts, plan, policy, onStage)
        }
      }
      // Decode into memory once, because rotation reads rows out of order. The blob is rotated while it is encoded, and
      // the preview after it is shrunk.
      let colored = try picture.inSRGB(from: plan.colors).onCanvas(of: facts, at: offset).inMemory()
      onStage(.encode)
      let upright = try colored.upright(facts.orientationToApply)
      let blob = try encode(upright, facts, plan, policy)
      return (
        blob,
        try preview(
          of: colored, orientation: facts.orientationToApply, policy: policy, onStage: onStage)
      )
    }
  }

  /// Passes a picture that libvips decodes to `body`. A HEIC gets here if FFmpeg does not support the picture, or from
  /// `byLibde265`. If libheif fails, that is no evidence of damage, so the format counts as unsupported.
  static func byVips<Result>(
    _ bytes: [UInt8], as format: ImageFormat,
    _ body: (borrowing VipsPicture) throws -> Result
  ) throws -> Result {
    do { return try VipsPicture.reading(bytes, as: format, body) } catch let error as PhotoError {
      guard format == .heic, error == .undecodable, HEVCDecoder.version != nil else { throw error }
      throw PhotoError.unsupportedFormat(detected: "hevc")
    }
  }

  /// Passes a HEIC original to `body` as libde265 decodes it. That decoder shares no code with the one that made the
  /// blob.
  ///
  /// - Throws: `unsupportedFormat` if libde265 is missing or libheif cannot compose the picture.
  static func byLibde265<Result>(
    _ heic: [UInt8], policy: PhotoPolicy, _ body: (borrowing VipsPicture) throws -> Result
  ) throws -> Result {
    let (facts, clean) = try ImageContainer.parseAndClean(
      heic, as: .heic, limits: policy.limits, readingData: false)
    guard VipsRuntime.loadsHEIC, VipsRuntime.hasLibde265, facts.layerPixels == 0,
      try HEICContainer.streams(in: clean, limits: policy.limits)?.takesOurDecoder != true
    else { throw PhotoError.unsupportedFormat(detected: "hevc") }
    return try byVips(clean, as: .heic) { picture in
      let colors = try picture.inSRGB(from: NormalizationPlan(for: facts).colors).inMemory()
      return try body(try colors.upright(facts.orientationToApply))
    }
  }

  /// Decodes a still PNG and encodes it again as upright 8-bit sRGB, or as gray if it is gray.
  ///
  /// - Parameter source: the colors of the values. `nil` if they are already sRGB.
  static func pngCodedAnew(
    _ png: [UInt8], orientation: Int, source: SourceColors?, policy: PhotoPolicy
  ) throws -> [UInt8] {
    let conversion = source?.conversion()
    return try VipsPicture.reading(png, as: .png) { picture in
      guard picture.is8Bit, picture.bands == 3, source == nil || conversion != nil else {
        return try picture.inSRGB(from: source).inMemory().upright(orientation)
          .encoded(as: .png, quality: policy.jpegQuality)
      }
      let canvas = try picture.painted(orientation: orientation, converting: conversion)
      return try canvas.reading { upright in
        try upright.encoded(as: .png, quality: policy.jpegQuality)
      }
    }
  }

  private static func encode(
    _ upright: borrowing VipsPicture, _ facts: ImageFacts, _ plan: NormalizationPlan,
    _ policy: PhotoPolicy, _ onStage: (PhotoStage) -> Void
  ) throws -> (blob: [UInt8], preview: DecodedPreview) {
    onStage(.encode)
    let blob = try encode(upright, facts, plan, policy)
    return (blob, try preview(of: upright, orientation: 1, policy: policy, onStage: onStage))
  }

  private static func encode(
    _ upright: borrowing VipsPicture, _ facts: ImageFacts, _ plan: NormalizationPlan,
    _ policy: PhotoPolicy
  ) throws -> [UInt8] {
    try verifiable(
      upright, as: plan.blobFormat,
      quality: plan.blobFormat == .webp ? policy.webpQuality : policy.jpegQuality,
      subsampled: facts.chromaSubsampled,
      // A lossy WebP is only encoded again to remove hidden data, so keep the pixels that it shows.
      lossless: !facts.format.isStored
        || facts.chromaSubsampled
          && (facts.hasAlpha || facts.format == .webp && plan.normalization.reasons == [.coding])
        ? facts.storedWidth * facts.storedHeight * facts.frameCount <= policy.losslessPixels
        : !facts.chromaSubsampled)
  }

  /// Encodes a picture so that it passes verification. A lossy WebP may contain so many codes under zero alpha that
  /// verification cannot distinguish them from a hidden picture. It is then encoded losslessly. With libwebp's default
  /// effort, a lossless WebP may contain a code that no pixel uses. It is then encoded with another effort.
  static func verifiable(
    _ picture: borrowing VipsPicture, as format: ImageFormat, quality: Int,
    subsampled: Bool = true, lossless: Bool = false
  ) throws -> [UInt8] {
    var bytes = try picture.encoded(
      as: format, quality: quality, subsampled: subsampled, losslessEffort: lossless ? 4 : nil)
    guard format == .webp, lossless || picture.hasAlpha else { return bytes }
    for effort in lossless ? [0, 6, 2] : [4, 0, 6, 2] {
      if Verifier.accepts(try Verifier.clean(bytes, as: .webp), as: .webp) { break }
      bytes = try picture.encoded(as: .webp, quality: quality, losslessEffort: effort)
    }
    return bytes
  }

  /// Returns the SHA-256 over size, bands and all pixels. Supports JPEG, PNG, GIF and WebP.
  static func pixelDigest(
    of bytes: [UInt8], as format: ImageFormat
  ) throws -> String {
    try VipsPicture.reading(bytes, as: format) { picture in
      let plain = try picture.inSRGB(from: nil)
      let shape = Array("\(plain.width) \(plain.height) \(plain.bands)\n".utf8)
      return sha256(of: shape + (try plain.pixels()))
    }
  }

  private static func preview(
    of picture: borrowing VipsPicture, orientation: Int, policy: PhotoPolicy,
    onStage: (PhotoStage) -> Void
  ) throws -> DecodedPreview {
    // A picture that isn't in memory yet is decoded while it is shrunk.
    let shrunk = try picture.shrunkReadingAll(side: policy.previewSide)
    onStage(.preview)
    return try preview(of: shrunk, orientation: orientation, policy: policy)
  }

  /// Returns the preview of a picture that is already small.
  static func preview(
    of shrunk: SmallPicture, orientation: Int = 1, policy: PhotoPolicy
  ) throws -> DecodedPreview {
    let small = shrunk.fitted(to: policy.previewSide).upright(orientation).withoutIdleAlpha()
    let format: ImageFormat = small.hasAlpha ? .webp : .jpeg
    let bytes = try small.pixels.span.withUnsafeBytes { pixels in
      try verifiable(
        VipsPicture.over(
          pixels, width: small.width, height: small.height, bands: small.bands),
        as: format, quality: policy.previewQuality)
    }
    return DecodedPreview(
      bytes: bytes, format: format,
      perceptualHash: PerceptualHash.of(
        rgb: small.inRGB().pixels, width: small.width, height: small.height))
  }

  /// Returns the factor by which the decoder itself may shrink a picture if only `side` pixels along the longer side
  /// are needed.
  static func decoderShrink(_ facts: ImageFacts, side: Int) -> Int {
    let longer = max(facts.storedWidth, facts.storedHeight)
    // libvips rounds down. A thin picture would have no pixels left, and libvips would abort.
    let most = max(1, min(longer / side, facts.storedWidth, facts.storedHeight))
    switch facts.format {
    case .jpeg: return [8, 4, 2].first { $0 <= most } ?? 1
    // libwebp shrinks a WebP, because at full size its picture and libvips' copy would double the memory. Not with
    // alpha, because the colors of transparent pixels would affect their neighbors.
    case .webp where facts.loopCount == nil && !facts.hasAlpha: return most
    case .webp, .png, .gif, .heic: return 1
    }
  }
}

extension PictureDecoder {
  /// Converts an opaque HEIC to a JPEG. Decodes, converts and encodes one row of tiles at a time, and makes the preview
  /// in the same pass.
  ///
  /// - Returns: `nil` if the picture needs a canvas or libheif.
  static func encodedInStrips(
    _ streams: HEVCPicture.Streams, in bytes: [UInt8], facts: ImageFacts, plan: NormalizationPlan,
    policy: PhotoPolicy, onStage: (PhotoStage) -> Void
  ) throws -> (blob: [UInt8], preview: DecodedPreview)? {
    guard plan.blobFormat == .jpeg, streams.alpha == nil else { return nil }
    var picture = streams.color
    picture.orient(facts.orientationToApply)
    let conversion = plan.colors?.conversion(bitDepth: picture.bitDepth)
    // libvips applies a profile with tables, and needs the whole picture for it.
    guard plan.colors == nil || conversion != nil else { return nil }

    let crop = picture.crop
    let isOnItsSide = picture.orientation >= 5
    let (width, height) =
      isOnItsSide ? (crop.height, crop.width) : (crop.width, crop.height)
    var encoder = try JPEGEncoder(
      width: width, height: height, quality: policy.jpegQuality, subsampled: facts.chromaSubsampled)
    var small = BlockAverages(width: width, height: height, side: policy.previewSide)
    let isComplete = try bytes.span.withUnsafeBytes { buffer in
      try HEVCDecoder.forEachStrip(
        of: picture, in: buffer, threads: policy.threadsPerPhoto, as: .colors(conversion)
      ) { strip in
        onStage(.encode)
        try strip.pixels.span.withUnsafeBufferPointer { rows in
          for row in 0..<strip.height { small.add(row: rows.baseAddress! + row * width * 3) }
          try encoder.add(rows: rows)
        }
        onStage(.decode)
      }
    }
    guard isComplete else { return nil }
    onStage(.preview)
    let preview = try preview(of: SmallPicture(small.picture), policy: policy)
    onStage(.encode)
    return (try encoder.finish(), preview)
  }
}
