public import ImageContainers

/// The line every photo takes, one stage a step:
///
///     file → sniff → walk → probe → normalize → prove → store → record → status
///       0      1       2      3         4         5       6        7        8
///
/// `inspect` runs stages 0 to 3, `prepare` 0 to 5; `PhotoAttachmentCache` adds 6 to 8. Stages are
/// synchronous functions over values, so the same code runs here or in a worker process.
public struct PhotoPipeline: Sendable {
  /// Limits and the normalized form.
  public var policy: PhotoPolicy

  /// A pipeline with this policy.
  public init(policy: PhotoPolicy = .init()) { self.policy = policy }
}
