import Foundation
import Synchronization

/// Whoever watches the status of a draft in this process.
final class StatusWatchers: Sendable {
  private typealias Continuation = AsyncStream<PhotoAttachmentStatus>.Continuation
  private let continuations = Mutex<[String: [UUID: Continuation]]>([:])

  /// Adds a watcher, which hears the current status at once. Call it where changes are published,
  /// so that none falls in between.
  func add(
    _ continuation: AsyncStream<PhotoAttachmentStatus>.Continuation, draft: String,
    current: PhotoAttachmentStatus
  ) {
    let id = UUID()
    continuations.withLock { $0[draft, default: [:]][id] = continuation }
    continuation.onTermination = { [weak self] _ in self?.remove(id, draft: draft) }
    // A stream that ended before it had its handler never calls it.
    if case .terminated = continuation.yield(current) { remove(id, draft: draft) }
  }

  private func remove(_ id: UUID, draft: String) {
    continuations.withLock {
      $0[draft]?[id] = nil
      if $0[draft]?.isEmpty == true { $0[draft] = nil }
    }
  }

  /// Tells every watcher of a draft.
  func publish(_ status: PhotoAttachmentStatus, draft: String) {
    let watchers = continuations.withLock { $0[draft].map { Array($0.values) } ?? [] }
    for watcher in watchers { watcher.yield(status) }
  }

  /// How many watch a draft.
  func count(draft: String) -> Int { continuations.withLock { $0[draft]?.count ?? 0 } }
}
