import Synchronization

/// The cost class of a photo, by which decoders are shared.
package enum DecodingWeight: Int, Comparable, Sendable {
  /// Below 15 megapixels with 8 bits per sample, like photos from most phones.
  case light
  /// Below 50 megapixels.
  case heavy
  /// 50 megapixels or more. Decoding takes seconds, and memory in proportion.
  case huge

  /// Determines the weight of a photo.
  ///
  /// - Parameter pixels: the number of pixels across all frames.
  package init(pixels: Int, bitDepth: Int = 8) {
    self =
      if pixels >= 50_000_000 { .huge } else if pixels >= 15_000_000 || bitDepth > 8 {
        .heavy
      } else { .light }
  }

  package static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}

/// A photo's turn at the decoders: its maximum weight and its cost. Turns wait in a server's queue (`DecodingTurns`),
/// which shares the decoders among clients. Only used if each decoder handles one photo.
package final class DecoderTurn: Sendable {
  /// The maximum weight of the photo. A heavier one is cancelled before it is decoded.
  package let weight: DecodingWeight
  private let state = Mutex((heavier: DecodingWeight?.none, cost: Duration.zero))

  package init(_ weight: DecodingWeight) { self.weight = weight }

  /// The actual weight if the photo was cancelled because it exceeded the maximum.
  package var heavier: DecodingWeight? { state.withLock { $0.heavier } }

  /// The processor time of the decoder, and of the thread that made the requests and checked the results.
  package var cost: Duration { state.withLock { $0.cost } }

  func end(as weight: DecodingWeight) { state.withLock { $0.heavier = weight } }

  func charge(_ cost: Duration) { state.withLock { $0.cost += cost } }
}
