import ImageContainers

/// What one photo may cost a worker.
public struct DecoderLimits: Sendable, Equatable {
  /// Bytes of address space of a worker; 4 GiB. A JPEG of 218 megapixels that has to be turned holds
  /// 1.9 GiB at its peak.
  public var memoryBytes = 4 << 30
  /// Seconds a photo may take before its size is known.
  public var wallSeconds = 20
  /// More seconds for each million pixels of all frames.
  public var secondsPerMegapixel = 1.0
  /// Seconds of processor time, all threads together, before the size is known; it grows like
  /// `wallSeconds`, once for each of `PhotoPolicy.threadsPerPhoto`.
  public var cpuSeconds = 15
  /// Photos after which a worker is replaced.
  public var photosPerWorker = 100

  /// The default limits.
  public init() {}

  /// Seconds for a photo of this many pixels; a worker cannot claim more than the policy allows.
  func wallSeconds(pixels: Int, policy: PhotoPolicy) -> Int {
    let possible = max(policy.limits.pixels, policy.limits.framePixels)
    let megapixels = Double(min(max(0, pixels), possible)) / 1_000_000
    return wallSeconds + Int(min(megapixels * secondsPerMegapixel, 86_400))
  }
}
