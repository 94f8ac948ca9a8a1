import ImageContainers

/// Stage 4: makes the blob and its preview from the clean container, with one decode.
enum Normalizer {
  static func normalize(
    _ photo: WalkedPhoto, policy: PhotoPolicy
  ) throws(PhotoError) -> (blob: [UInt8], preview: PictureDecoder.Preview) {
    switch photo.plan.normalization.method {
    case .carriedOver:
      let preview = try PictureDecoder.previewProvingWhole(
        photo.clean, facts: photo.facts, policy: policy)
      try proveFrames(of: photo, limits: policy.limits)
      return (photo.clean, preview)
    case .reEncoded:
      let (encoded, preview) = try PictureDecoder.reEncoded(
        photo.clean, facts: photo.facts, plan: photo.plan, policy: policy)
      let blob = try Prover.clean(encoded, as: photo.plan.blobFormat)
      return (blob, preview)
    }
  }

  /// libvips 8.14 sees only the default picture of an APNG; the other frames are proved one by one.
  private static func proveFrames(
    of photo: WalkedPhoto, limits: ContainerLimits
  ) throws(PhotoError) {
    guard photo.facts.format == .png, photo.facts.frameCount > 1 else { return }
    // Lazy: one frame at a time is made and decoded.
    for frame in try Walker.frames(of: photo.clean, limits: limits) {
      try PictureDecoder.decodeWhole(frame, as: .png)
    }
  }
}
