import Synchronization

/// How much a photo may cost its decoder, by which decoders are shared.
package enum DecodingWeight: Int, Comparable, Sendable {
  /// Below 15 megapixels with 8 bits per sample, as most phones take them.
  case light
  /// Below 50 megapixels.
  case heavy
  /// From 50 megapixels on a decode takes seconds, and memory in proportion.
  case huge

  /// - Parameter pixels: pixels of all frames.
  package init(pixels: Int, bitDepth: Int = 8) {
    self =
      if pixels >= 50_000_000 { .huge } else if pixels >= 15_000_000 || bitDepth > 8 {
        .heavy
      } else { .light }
  }

  package static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}

/// A photo's turn at the decoders: what it may weigh, and what it cost. Only for decoders that see one photo each.
package final class DecoderTurn: Sendable {
  /// What the photo may weigh. A heavier one ends as cancelled before it is decoded.
  package let weight: DecodingWeight
  private let state = Mutex((heavier: DecodingWeight?.none, cost: Duration.zero))

  package init(_ weight: DecodingWeight) { self.weight = weight }

  /// What the photo weighs, if it ended because that is more than it may.
  package var heavier: DecodingWeight? { state.withLock { $0.heavier } }

  /// The processor time of the decoder, and of the thread that asked it and checked its answers.
  package var cost: Duration { state.withLock { $0.cost } }

  func end(as weight: DecodingWeight) { state.withLock { $0.heavier = weight } }

  func charge(_ cost: Duration) { state.withLock { $0.cost += cost } }
}
