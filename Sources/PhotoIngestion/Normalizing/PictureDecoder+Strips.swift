import ImageContainers

extension PictureDecoder {
  /// An opaque HEIC as a JPEG, decoded, converted and encoded a row of tiles at a time, its preview made
  /// on the way.
  ///
  /// - Returns: nil when it takes a canvas or libheif.
  static func encodedInStrips(
    _ bytes: [UInt8], facts: ImageFacts, plan: NormalizationPlan, policy: PhotoPolicy,
    entering: (PhotoStage) -> Void
  ) throws(PhotoError) -> (blob: [UInt8], preview: DecodedPreview)? {
    guard facts.format == .heic, plan.blobFormat == .jpeg,
      var picture = try Walker.streams(in: bytes, limits: policy.limits), picture.alpha == nil
    else { return nil }
    picture.color.orient(facts.orientationToApply)
    let conversion = plan.profile.flatMap(ICCProfile.init)?.srgbConversion(
      bitDepth: picture.color.bitDepth)
    // A profile of tables is read by libvips, over the whole picture.
    guard plan.profile == nil || conversion != nil else { return nil }

    let (crop, isOnItsSide) = (picture.color.crop, picture.color.orientation >= 5)
    let (width, height) =
      isOnItsSide ? (crop.height, crop.width) : (crop.width, crop.height)
    var encoder = try JPEGEncoder(
      width: width, height: height, quality: policy.jpegQuality, subsampled: facts.chromaSubsampled)
    var small = BlockAverages(width: width, height: height, side: policy.previewSide)
    let isWhole = try bytes.span.withUnsafeBytes { buffer throws(PhotoError) in
      try HEVCDecoder.forEachStrip(
        of: picture.color, in: buffer, threads: policy.threadsPerPhoto, as: .colors(conversion)
      ) { strip throws(PhotoError) in
        entering(.encode)
        try strip.pixels.span.withUnsafeBufferPointer { rows throws(PhotoError) in
          for row in 0..<strip.height { small.add(row: rows.baseAddress! + row * width * 3) }
          try encoder.add(rows: rows)
        }
        entering(.decode)
      }
    }
    guard isWhole else { return nil }
    entering(.preview)
    let preview = try preview(of: small.picture, policy: policy)
    entering(.encode)
    return (try encoder.finish(), preview)
  }
}
