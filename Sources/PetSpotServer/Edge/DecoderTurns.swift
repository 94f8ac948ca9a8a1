import PhotoAttachments
import PhotoIngestion

/// A client's turns at the decoders, for photos whose bytes were received: they wait, and are not refused.
struct DecoderTurns: DecodingTurns {
  let queue: FairQueue
  let client: ClientNetwork

  func pass<Value: Sendable>(
    _ turn: DecoderTurn, _ work: () async throws -> Value
  ) async throws -> Value {
    let place = try await queue.enter(client, for: turn, isRefusable: false)
    defer { queue.leave(place, after: turn) }
    return try await work()
  }
}

extension FairQueue {
  /// Waits for a turn at a decoder. Until its cost is known it is charged with 0.25, 1 or 4 seconds by weight.
  func enter(
    _ client: ClientNetwork, for turn: DecoderTurn, isRefusable: Bool
  ) async throws -> Turn {
    let weight = turn.weight.rawValue
    let estimate = 0.25 * Double(1 << (2 * weight))
    return try await enter(
      client, weight: weight, estimate: estimate, isRefusable: isRefusable)
  }

  /// Ends a turn at a decoder.
  func leave(_ place: Turn, after turn: DecoderTurn) { leave(place, cost: turn.cost / .seconds(1)) }
}
