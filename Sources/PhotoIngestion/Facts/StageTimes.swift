/// A stage whose time is measured, and which appears in the log of a crash. The raw values are the names in reports.
package enum PhotoStage: String, Sendable, Codable, CodingKeyRepresentable, CaseIterable {
  /// The worker waits for its photo.
  case start
  /// The file is read and hashed, and its digest is looked up.
  case read
  case sniff
  case parse = "walk"
  case probe
  /// The three parts of stage 4: container to pixels, pixels to blob, and the preview. A photo that is carried over,
  /// which keeps its compressed data, is decoded and never encoded.
  case decode, encode, preview
  case verify = "prove"
  /// The pictures are written, synced and given their final names.
  case store
  case record
}

/// The seconds that threads spent in each stage, including waiting, summed over all threads.
package struct StageTimes: Sendable, Equatable, Codable {
  private var seconds: [PhotoStage: Double] = [:]

  /// Creates times of zero.
  package init() {}

  /// The seconds spent in one stage.
  package subscript(stage: PhotoStage) -> Double {
    get { seconds[stage, default: 0] }
    set { seconds[stage] = newValue }
  }

  package static func += (sum: inout StageTimes, more: StageTimes) {
    for (stage, seconds) in more.seconds { sum[stage] += seconds }
  }
}

/// Measures the stages of one thread. Each stage lasts until the next one begins.
package struct StageClock {
  private var times = StageTimes()
  private var stage: PhotoStage?
  private var entered = ContinuousClock.now

  package init(_ stage: PhotoStage? = nil) { self.stage = stage }

  /// Begins a stage and ends the previous one. `nil` begins a time that counts for no stage.
  package mutating func enter(_ next: PhotoStage?) {
    let now = ContinuousClock.now
    if let stage { times[stage] += (now - entered) / .seconds(1) }
    stage = next
    entered = now
  }

  /// Ends the last stage and returns all times.
  package mutating func stop() -> StageTimes {
    enter(nil)
    return times
  }
}
