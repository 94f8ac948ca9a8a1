import Foundation
import PhotoAttachments
import PhotoIngestion
import Synchronization

/// Sizes that are being made: each once, however many ask for it, and to its end, even when its clients leave.
final class SizeMaker: Sendable {
  /// Requests of one client that may wait for sizes of their own.
  private static let waitingPerClient = 32
  /// Seconds for which a picture that no size can be made of costs no decoder.
  private static let secondsRefused = 600.0
  /// Refusals that are remembered, at most.
  private static let maxRefused = 10_000

  private let photos: PhotoAttachmentCache
  private let limitsClients: Bool
  private let now: @Sendable () -> Date
  private let gate: AdmissionGate
  private let state = Mutex(State())

  private struct State {
    var underWay: [PhotoSizeKey: Task<StoredPicture, any Error>] = [:]
    var refused: [PhotoSizeKey: (error: StoreError, since: Date)] = [:]
  }

  init(
    _ photos: PhotoAttachmentCache, _ gate: AdmissionGate, limitsClients: Bool,
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    (self.photos, self.gate, self.limitsClients, self.now) = (photos, gate, limitsClients, now)
  }

  /// Makes a size, or waits for who makes it. A refusal that is the picture's own is remembered for ten
  /// minutes; a fault of the machine or of a store is not.
  ///
  /// - Parameter client: whose turn it is that is taken.
  /// - Throws: 429 when too many sizes wait for the client's turn, 503 when too many wait in all.
  func size(
    _ form: SizeForm, of photo: PhotoAttachmentMetadata, for client: ClientNetwork
  ) async throws -> StoredPicture {
    let size = PhotoSizeKey(photo: photo.id, name: form.name)
    let task = try state.withLock { state throws in
      if let task = state.underWay[size] { return task }
      if let refusal = state.refused[size],
        (0..<Self.secondsRefused).contains(now().timeIntervalSince(refusal.since))
      {
        throw refusal.error
      }
      if limitsClients, gate.waitingCount(of: client, .size) >= Self.waitingPerClient {
        throw ErrorResponse.throttled(seconds: 2)
      }
      try gate.checkRoom(for: client, .size)
      let task = Task.detached { [self] in
        do {
          let made = try await gate.pass(client, .size) {
            try await photos.makeSize(form, of: photo)
          }
          end(size, nil)
          return made
        } catch {
          end(size, error)
          throw error
        }
      }
      state.underWay[size] = task
      return task
    }
    return try await task.value
  }

  private func end(_ size: PhotoSizeKey, _ failure: (any Error)?) {
    state.withLock { state in
      state.underWay[size] = nil
      state.refused[size] = nil
      guard case StoreError.photo(let error)? = failure, error.blame == .photo else { return }
      // How long it takes depends on what else the machine does.
      if case .timeout = error { return }
      if state.refused.count >= Self.maxRefused { state.refused = [:] }
      state.refused[size] = (.photo(error), now())
    }
  }
}
