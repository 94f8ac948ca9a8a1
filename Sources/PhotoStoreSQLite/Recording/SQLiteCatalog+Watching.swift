import Dispatch
import Foundation
import GRDB
import Logging
package import PhotoAttachments
import Synchronization

/// Notifies the watchers of a draft.
extension SQLiteCatalog {
  /// Whether changes by other processes are looked for, and SQLite's number of those that were
  /// looked at; nil before the first look.
  struct Looking {
    var isUnderWay = false
    var version: Int64?
  }

  /// How long a change by another process may stay unnoticed.
  private static let pause = DispatchTimeInterval.milliseconds(500)

  package func watch(
    draft: String, _ receive: @escaping @Sendable (AttachmentRecord?) -> Bool
  ) -> @Sendable () -> Void {
    let id = UUID()
    // On the queue of the commits, so that no change falls between the look and the first notice.
    queue.asyncWriteWithoutTransaction { [self] db in
      var current: AttachmentRecord?
      do {
        current = try record(draft, db)
      } catch {
        logger.error("status not read", metadata: ["draft": "\(draft)", "error": "\(error)"])
      }
      watchers.add(id, draft: draft, current: current, receive)
      let isFirst = looking.withLock { looking in
        defer { looking.isUnderWay = true }
        return !looking.isUnderWay
      }
      if isFirst { lookLater() }
    }
    return { [watchers] in watchers.remove(id, draft: draft) }
  }

  private func record(_ draft: String, _ db: Database) throws -> AttachmentRecord? {
    try run({ try Catalog(self).record(draft, $0) }, db)
  }

  private func lookLater() {
    DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + Self.pause) { [weak self] in
      self?.look()
    }
  }

  /// Looks whether another process has changed the file, one small read for all who watch; only then
  /// are the drafts read. It ends when no draft is watched or the catalog is closed.
  private func look() {
    guard (try? enter()) != nil else { return }
    queue.asyncWriteWithoutTransaction { [self] db in
      defer { calls.leave() }
      let drafts = watchers.drafts
      // Watchers are added on this queue, so none comes in between.
      guard !drafts.isEmpty else { return looking.withLock { $0 = Looking() } }
      do {
        // Before the drafts: what changes after it is found with the next look.
        let version = try Int64.fetchOne(
          db.cachedStatement(sql: "PRAGMA data_version"))
        if version != looking.withLock({ $0.version }) {
          for draft in drafts { watchers.refresh(try record(draft, db), draft: draft) }
          looking.withLock { $0.version = version }
        }
      } catch {
        logger.debug("changes not looked for", metadata: ["error": "\(error)"])
      }
      lookLater()
    }
  }
}
