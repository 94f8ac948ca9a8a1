import ImageContainers

extension PhotoPipeline {
  /// Cleans as little as possible first, and more as long as the proof refuses the product: then
  /// something hides in the data.
  ///
  /// - Throws: what else `attempt` throws, and the proof's refusal of what was coded again.
  static func retryingWithDeeperCleaning<Result>(
    _ attempt: (CleaningDepth) throws(PhotoError) -> Result
  ) throws(PhotoError) -> Result {
    var depth = CleaningDepth.leftToProof
    while true {
      do throws(PhotoError) { return try attempt(depth) } catch {
        guard case .fault(let what) = error, what.hasPrefix("product-"), let deeper = depth.next
        else {
          throw error
        }
        depth = deeper
      }
    }
  }

  /// Runs stages 1 to 3 as deep as `prepare` will go, so that the plan is what `attach`
  /// does: the codes of what is to be carried over are read, no pixel is made of them.
  ///
  /// Only a WebP with something behind its data is decoded: only that shows whether it can be removed.
  static func planned(
    _ received: ReceivedFile, policy: PhotoPolicy,
    entering: (PhotoStage, ImageFacts?) -> Void = { _, _ in }
  ) throws(PhotoError) -> WalkedPhoto {
    try retryingWithDeeperCleaning { depth throws(PhotoError) in
      let photo = try walk(received, policy: policy, depth: depth, entering: entering)
      guard photo.plan.normalization.method == .carriedOver, depth != .recoded else {
        return photo
      }
      let facts = photo.facts
      let carried = try Normalizer.carriedOver(photo, policy: policy) { entering($0, facts) }
      guard let carried else {
        return try walk(received, policy: policy, depth: .recoded, entering: entering)
      }
      try Prover.account(
        for: carried.blob, format: photo.plan.blobFormat, width: facts.uprightWidth,
        height: facts.uprightHeight, frames: facts.frameCount)
      return photo
    }
  }
}
