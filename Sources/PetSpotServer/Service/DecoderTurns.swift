import PhotoAttachments
import PhotoIngestion

/// A client's turns at the decoders, for photos that were already received. A turn is the right to use a decoder. These
/// turns are refused only if the queue has reached its limit of all waiting turns (`waitingInAll`).
struct DecoderTurns: DecodingTurns {
  let queue: FairQueue
  let client: ClientNetwork

  func pass<Value: Sendable>(
    _ turn: DecoderTurn, _ work: () async throws -> Value
  ) async throws -> Value {
    let queued = try await queue.enter(client, weight: turn.weight.rawValue, isRefusable: false)
    defer { queue.leave(queued, cost: turn.cost / .seconds(1)) }
    return try await work()
  }
}
