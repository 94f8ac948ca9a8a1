import ImageContainers

extension Normalizer {
  /// The blob of an APNG whose pixels have to change: each picture is decoded by itself, which libvips
  /// 8.14 can, and coded again, one at a time; the animation around them stays. Frames are not composed:
  /// a browser lays them as it laid the original's.
  ///
  /// - Returns: nil for any other photo, and for a single frame, which is a still picture then.
  static func animationCodedAnew(
    _ photo: WalkedPhoto, policy: PhotoPolicy, entering: (PhotoStage) -> Void
  ) throws(PhotoError) -> (blob: [UInt8], preview: DecodedPreview)? {
    guard photo.facts.format == .png, photo.facts.frameCount > 1,
      photo.plan.normalization.method == .reEncoded,
      let recoding = try Walker.recoding(of: photo.clean, limits: policy.limits)
    else { return nil }
    let orientation = photo.facts.orientation
    entering(.encode)
    var pictures: [[UInt8]] = []
    for index in 0..<recoding.count {
      pictures.append(
        try PictureDecoder.pngCodedAnew(
          recoding.picture(index), orientation: orientation, profile: photo.plan.profile,
          policy: policy))
    }
    let blob = try Walker.joined(pictures, in: recoding, turnedFrom: orientation)

    var upright = photo.facts
    (upright.storedWidth, upright.storedHeight) = (upright.uprightWidth, upright.uprightHeight)
    upright.orientation = 1
    let first = recoding.firstFrame
    let preview = try PictureDecoder.previewProvingWhole(
      pictures[first], facts: upright, place: recoding.place(of: first, turnedFrom: orientation),
      policy: policy, entering: entering)
    return (blob, preview)
  }
}
