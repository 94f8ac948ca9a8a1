import ImageContainers
import PhotoModel

/// The resources that one photo may use in a decoder process, and the time for which an idle process is kept.
public struct DecoderLimits: Sendable, Equatable {
  /// The maximum address space of a worker in bytes. 4 GiB by default. A JPEG of 218 megapixels that must be rotated
  /// needs 1.9 GiB at its peak.
  public var memoryBytes = 4 << 30
  /// The time that a photo may take before its size is known.
  public var wallTime = Duration.seconds(20)
  /// The additional time for each million pixels across all frames.
  public var timePerMegapixel = Duration.seconds(1)
  /// The processor time, across all threads, before the size is known. It grows like `wallTime`, multiplied by
  /// `PhotoPolicy.threadsPerPhoto`. Fractions of a second count as a whole one.
  public var cpuTime = Duration.seconds(15)
  /// The time after which an idle worker is ended. Spare workers stay.
  public var idleTime = Duration.seconds(20)

  /// Creates the default limits.
  public init() {}

  /// Returns the time limit in seconds for a photo of this many pixels. The worker reports the number, so it is capped
  /// at the policy's limit.
  func wallSeconds(pixels: Int, policy: PhotoPolicy) -> Int {
    wallSeconds + seconds(pixels: pixels, rate: timePerMegapixel.seconds, policy: policy)
  }

  /// `wallTime` in whole seconds.
  var wallSeconds: Int { Int(wallTime.seconds.rounded(.up)) }

  /// `cpuTime` in whole seconds.
  var cpuSeconds: Int { Int(cpuTime.seconds.rounded(.up)) }

  /// Returns the processor time limit in seconds for a photo of this many pixels, capped in the same way.
  func cpuSeconds(pixels: Int, policy: PhotoPolicy) -> Int {
    let rate = timePerMegapixel.seconds * Double(max(1, policy.threadsPerPhoto))
    return cpuSeconds + seconds(pixels: pixels, rate: rate, policy: policy)
  }

  private func seconds(pixels: Int, rate: Double, policy: PhotoPolicy) -> Int {
    let megapixels = Double(min(max(0, pixels), policy.maxPixels)) / 1_000_000
    return Int(min(megapixels * rate, 86_400))
  }
}

extension PhotoPolicy {
  /// The maximum number of pixels across all frames of a photo.
  var maxPixels: Int { max(limits.pixels, limits.framePixels) }
}
