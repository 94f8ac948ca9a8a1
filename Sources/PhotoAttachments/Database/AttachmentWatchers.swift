package import Foundation
import Synchronization

/// The watchers of drafts' attachments in this process. Catalogs notify them.
package final class AttachmentWatchers: Sendable {
  /// Receives a draft's attachment, or `nil` if the draft never had an attempt. Returns `false` to end the watch.
  package typealias Receive = @Sendable (AttachmentRecord?) -> Bool
  private struct Watcher {
    let receive: Receive
    /// The state that it received last.
    var machine: AttachmentRecord.Machine
  }
  private let watchers = Mutex<[String: [UUID: Watcher]]>([:])

  package init() {}

  /// Adds a watcher, and sends it the current state at once. Call this in the critical section that publishes changes,
  /// so that the watcher misses no change.
  package func add(
    _ id: UUID, draft: String, current: AttachmentRecord?, _ receive: @escaping Receive
  ) {
    let watcher = Watcher(receive: receive, machine: current?.machine ?? .init())
    watchers.withLock { $0[draft, default: [:]][id] = watcher }
    if !receive(current) { remove(id, draft: draft) }
  }

  /// Removes a watcher.
  package func remove(_ id: UUID, draft: String) {
    watchers.withLock {
      $0[draft]?[id] = nil
      if $0[draft]?.isEmpty == true { $0[draft] = nil }
    }
  }

  /// Notifies every watcher of a draft. Removes those that return `false`.
  package func publish(_ record: AttachmentRecord?, draft: String) {
    notify(record, draft: draft) { _ in true }
  }

  /// Notifies those watchers of a draft whose last state differs from this one.
  package func refresh(_ record: AttachmentRecord?, draft: String) {
    let machine = record?.machine ?? .init()
    notify(record, draft: draft) { $0.machine != machine }
  }

  private func notify(
    _ record: AttachmentRecord?, draft: String, where isMeant: (Watcher) -> Bool
  ) {
    let notified = watchers.withLock { watchers in
      let notified = (watchers[draft] ?? [:]).filter { isMeant($0.value) }
      for id in notified.keys { watchers[draft]?[id]?.machine = record?.machine ?? .init() }
      return notified
    }
    for (id, watcher) in notified where !watcher.receive(record) { remove(id, draft: draft) }
  }

  /// The drafts that are watched.
  package var drafts: [String] { watchers.withLock { Array($0.keys) } }

  /// Returns the number of watchers of a draft.
  package func count(draft: String) -> Int { watchers.withLock { $0[draft]?.count ?? 0 } }
}
