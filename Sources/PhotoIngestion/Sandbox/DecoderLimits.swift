import ImageContainers

/// What one photo may cost a decoder process, and how long an idle one is kept.
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
  /// Seconds a worker waits for its next photo before it is ended; spare ones stay.
  public var idleSeconds = 20

  /// The default limits.
  public init() {}

  /// Seconds for a photo of this many pixels; a worker cannot claim more than the policy allows.
  func wallSeconds(pixels: Int, policy: PhotoPolicy) -> Int {
    wallSeconds + seconds(pixels: pixels, rate: secondsPerMegapixel, policy: policy)
  }

  /// Seconds of processor time for a photo of this many pixels, bounded in the same way.
  func cpuSeconds(pixels: Int, policy: PhotoPolicy) -> Int {
    let rate = secondsPerMegapixel * Double(max(1, policy.threadsPerPhoto))
    return cpuSeconds + seconds(pixels: pixels, rate: rate, policy: policy)
  }

  private func seconds(pixels: Int, rate: Double, policy: PhotoPolicy) -> Int {
    let megapixels = Double(min(max(0, pixels), policy.maxPixels)) / 1_000_000
    return Int(min(megapixels * rate, 86_400))
  }
}

extension PhotoPolicy {
  /// Pixels of all frames that a photo can have and be taken.
  var maxPixels: Int { max(limits.pixels, limits.framePixels) }
}
