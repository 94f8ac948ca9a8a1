import Foundation
import PhotoAttachments
import Synchronization

/// Whoever watches the attachment of a draft in this process.
final class AttachmentWatchers: Sendable {
  typealias Hear = @Sendable (AttachmentRecord?) -> Bool
  private let watchers = Mutex<[String: [UUID: Hear]]>([:])

  /// Adds a watcher, which hears how things stand at once. Call it where changes are published, so
  /// that none falls in between.
  func add(_ id: UUID, draft: String, current: AttachmentRecord?, _ hear: @escaping Hear) {
    watchers.withLock { $0[draft, default: [:]][id] = hear }
    if !hear(current) { remove(id, draft: draft) }
  }

  func remove(_ id: UUID, draft: String) {
    watchers.withLock {
      $0[draft]?[id] = nil
      if $0[draft]?.isEmpty == true { $0[draft] = nil }
    }
  }

  /// Tells every watcher of a draft; forgets those that hear no more.
  func publish(_ record: AttachmentRecord?, draft: String) {
    let hears = watchers.withLock { $0[draft] ?? [:] }
    for (id, hear) in hears where !hear(record) { remove(id, draft: draft) }
  }

  /// How many watch a draft.
  func count(draft: String) -> Int { watchers.withLock { $0[draft]?.count ?? 0 } }
}
