import Foundation
import HTTPTypes
import Metrics
import PhotoAttachments

/// The queues in which requests wait for their client's turn.
struct Gates: Sendable {
  /// Turns at the decoders, for uploaded photos and for sizes. One decoder is reserved for light photos, and huge
  /// photos get one fewer than heavy ones.
  let decoding: FairQueue
  /// Searches that run or wait.
  let searches: FairQueue
  /// Pages and parts of lists that are being made or wait.
  let pages: FairQueue
  /// Requests that were sent before the response to the previous one.
  let pipelined: FairQueue

  init(_ configuration: ServerConfiguration) {
    let shares = configuration.shares
    let decoders = ServerConfiguration.decoders
    let cores = ProcessInfo.processInfo.activeProcessorCount
    decoding = FairQueue(
      .init(
        running: [decoders, decoders - 1, decoders - 2], waiting: configuration.waitingUploads,
        waitingPerClient: shares.decoders,
        // A waiting photo occupies the place of its body, and other bodies need places too.
        waitingInAll: DescriptorShares().bodies / 2))
    searches = FairQueue(.init(running: [2], waiting: 64, waitingPerClient: shares.searches))
    pages = FairQueue(
      .init(running: [4 * cores], waiting: 512, waitingPerClient: shares.pages))
    pipelined = FairQueue(.init(running: [2 * cores], waiting: 512))
  }

  /// Stores a photo in its client's turns at the decoders, and counts the outcome.
  func decode<Value>(
    for client: ClientNetwork, _ body: (_ turns: DecoderTurns) async throws -> Value
  ) async throws -> Value {
    do {
      let value = try await body(DecoderTurns(queue: decoding, client: client))
      PhotoOutcome.confirmed.counter.increment()
      return value
    } catch {
      PhotoOutcome(of: error)?.counter.increment()
      throw error
    }
  }
}

/// The outcome of a photo that a client sent.
enum PhotoOutcome: String, CaseIterable {
  case confirmed, refused, failed

  /// Creates the outcome for an error. Returns `nil` if neither the photo nor the server caused the error.
  init?(of error: any Error) {
    if error is CancellationError { return nil }
    switch ErrorResponse(cause: error)?.status.code ?? 500 {
    case 413, 415, 422: self = .refused
    case 500...: self = .failed
    default: return nil
    }
  }

  var counter: Counter {
    Counter(label: "petspot_photos_total", dimensions: [("outcome", rawValue)])
  }
}
