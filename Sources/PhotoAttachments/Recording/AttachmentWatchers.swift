package import Foundation
import Synchronization

/// Whoever watches the attachment of a draft in this process, for catalogs to tell.
package final class AttachmentWatchers: Sendable {
  package typealias Hear = @Sendable (AttachmentRecord?) -> Bool
  private struct Watcher {
    let hear: Hear
    /// What it heard last.
    var machine: AttachmentRecord.Machine
  }
  private let watchers = Mutex<[String: [UUID: Watcher]]>([:])

  package init() {}

  /// Adds a watcher, which hears how things stand at once. Call it where changes are published, so
  /// that none falls in between.
  package func add(_ id: UUID, draft: String, current: AttachmentRecord?, _ hear: @escaping Hear) {
    let watcher = Watcher(hear: hear, machine: current?.machine ?? .init())
    watchers.withLock { $0[draft, default: [:]][id] = watcher }
    if !hear(current) { remove(id, draft: draft) }
  }

  /// Forgets a watcher.
  package func remove(_ id: UUID, draft: String) {
    watchers.withLock {
      $0[draft]?[id] = nil
      if $0[draft]?.isEmpty == true { $0[draft] = nil }
    }
  }

  /// Tells every watcher of a draft; forgets those that hear no more.
  package func publish(_ record: AttachmentRecord?, draft: String) {
    tell(record, draft: draft) { _ in true }
  }

  /// Tells those watchers of a draft that heard something else last.
  package func refresh(_ record: AttachmentRecord?, draft: String) {
    let machine = record?.machine ?? .init()
    tell(record, draft: draft) { $0.machine != machine }
  }

  private func tell(
    _ record: AttachmentRecord?, draft: String, where isMeant: (Watcher) -> Bool
  ) {
    let told = watchers.withLock { watchers in
      let told = (watchers[draft] ?? [:]).filter { isMeant($0.value) }
      for id in told.keys { watchers[draft]?[id]?.machine = record?.machine ?? .init() }
      return told
    }
    for (id, watcher) in told where !watcher.hear(record) { remove(id, draft: draft) }
  }

  /// The drafts that somebody watches.
  package var drafts: [String] { watchers.withLock { Array($0.keys) } }

  /// How many watch a draft.
  package func count(draft: String) -> Int { watchers.withLock { $0[draft]?.count ?? 0 } }
}
