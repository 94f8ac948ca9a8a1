/// A stage whose time is measured, and which the log of a crash names.
public enum PhotoStage: String, Sendable, Codable, CodingKeyRepresentable, CaseIterable {
  /// A worker waits for its photo.
  case start
  /// The file is read and its digest taken; known digests are looked up.
  case read
  case sniff
  case parse = "walk"
  case probe
  /// Stage 4 in three: pixels out of the container, pixels into the blob, the preview. A photo that
  /// is carried over is decoded and never encoded.
  case decode, encode, preview
  case verify = "prove"
  /// Pictures are written, synced and named.
  case store
  case record
}

/// The seconds that threads spent in each stage, including waiting, added up over all threads.
public struct StageTimes: Sendable, Equatable, Codable {
  private var seconds: [PhotoStage: Double] = [:]

  /// No time at all.
  public init() {}

  /// Seconds in one stage.
  public subscript(stage: PhotoStage) -> Double {
    get { seconds[stage, default: 0] }
    set { seconds[stage] = newValue }
  }

  package static func += (sum: inout StageTimes, more: StageTimes) {
    for (stage, seconds) in more.seconds { sum[stage] += seconds }
  }
}

/// Times one thread on its way: each stage lasts until the next one is entered.
package struct StageClock {
  private var times = StageTimes()
  private var stage: PhotoStage?
  private var entered = ContinuousClock.now

  package init(_ stage: PhotoStage? = nil) { self.stage = stage }

  /// Begins a stage and ends the one before; nil begins a time that no stage is charged for.
  package mutating func enter(_ next: PhotoStage?) {
    let now = ContinuousClock.now
    if let stage { times[stage] += (now - entered) / .seconds(1) }
    stage = next
    entered = now
  }

  /// Ends the last stage and gives all of them.
  package mutating func stop() -> StageTimes {
    enter(nil)
    return times
  }
}
