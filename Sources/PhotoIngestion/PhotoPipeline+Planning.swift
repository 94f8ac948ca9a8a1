import ImageContainers

extension PhotoPipeline {
  /// Runs stages 1 to 3 with as much care as `prepare` will come to, so that the plan is what `attach`
  /// does: the codes of what is to be carried over are read, no pixel is made of them.
  ///
  /// Only a WebP with something behind its data is decoded, which alone tells whether that can go.
  static func planned(
    _ received: ReceivedFile, policy: PhotoPolicy,
    entering: (PhotoStage, ImageFacts?) -> Void = { _, _ in }
  ) throws(PhotoError) -> WalkedPhoto {
    var care = DataCare.leftToProof
    while true {
      let photo = try walk(received, policy: policy, care: care, entering: entering)
      guard photo.plan.normalization.method == .carriedOver, let more = care.more else {
        return photo
      }
      guard let blob = try photo.carriedOver(policy: policy, entering: entering) else {
        care = .codedAnew
        continue
      }
      let facts = photo.facts
      do throws(PhotoError) {
        try Prover.account(
          for: blob, format: photo.plan.blobFormat, width: facts.uprightWidth,
          height: facts.uprightHeight, frames: photo.plan.blobFrames(of: facts))
        return photo
      } catch { care = more }
    }
  }
}

extension WalkedPhoto {
  /// The blob that stage 4 would carry over; nil when the codes can only be made anew.
  fileprivate func carriedOver(
    policy: PhotoPolicy, entering: (PhotoStage, ImageFacts?) -> Void
  ) throws(PhotoError) -> [UInt8]? {
    switch (facts.format, care) {
    case (.jpeg, .leftToProof) where ContainerProof.reducedSize(of: clean, as: .jpeg) != nil:
      return clean
    case (.jpeg, _):
      return try Walker.read(clean, limits: policy.limits)?.file
    case (.webp, .read):
      entering(.decode, facts)
      return try Normalizer.trimmedWebP(self)
    default:
      return clean
    }
  }
}
