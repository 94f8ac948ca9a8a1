import Foundation
import PhotoAttachments
import PhotoIngestion
import Synchronization

/// Sizes that are being made: each once, however many ask for it, and to its end, even when its clients leave.
final class SizeMaking: Sendable {
  /// Requests of one client that may wait for sizes of their own.
  private static let waitingPerClient = 32

  private let photos: PhotoAttachmentCache
  private let limitsClients: Bool
  /// Half of the decoders stay to uploads.
  private let gate = AdmissionGate(
    most: max(1, ProcessInfo.processInfo.activeProcessorCount / 2), waiting: 64)
  private let underWay = Mutex<[Making: Task<StoredPicture, any Error>]>([:])

  private struct Making: Hashable {
    let photo: UUID
    let name: SizeForm.Name
  }

  init(_ photos: PhotoAttachmentCache, limitsClients: Bool) {
    (self.photos, self.limitsClients) = (photos, limitsClients)
  }

  /// Makes a size, or waits for who makes it.
  ///
  /// - Parameter client: whose turn it is that is taken.
  /// - Throws: 429 when too many sizes wait for the client's turn, 503 when too many wait in all.
  func size(
    _ form: SizeForm, of photo: PhotoAttachmentMetadata, for client: ClientNetwork
  ) async throws -> StoredPicture {
    let making = Making(photo: photo.id, name: form.name)
    let task = try underWay.withLock { tasks throws(ErrorAnswer) in
      if let task = tasks[making] { return task }
      if limitsClients, gate.waitingCount(of: client) >= Self.waitingPerClient {
        throw .throttled(seconds: 2)
      }
      try gate.checkRoom(for: client)
      let task = Task.detached { [self] in
        defer { underWay.withLock { $0[making] = nil } }
        return try await gate.pass(client) { try await photos.makeSize(form, of: photo) }
      }
      tasks[making] = task
      return task
    }
    return try await task.value
  }
}
