import Foundation
import GRDB
import Logging
package import PhotoAttachments
import Synchronization

/// Notifies the watchers of a draft.
extension SQLiteDatabase {
  /// Whether changes by other processes are looked for, and SQLite's number of those that were
  /// looked at; nil before the first look.
  struct Polling {
    var isUnderWay = false
    var version: Int64?
  }

  /// How long a change by another process may stay unnoticed.
  private static let pause = Duration.milliseconds(500)

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
      let isFirst = polling.withLock { polling in
        defer { polling.isUnderWay = true }
        return !polling.isUnderWay
      }
      if isFirst { poll() }
    }
    return { [watchers] in watchers.remove(id, draft: draft) }
  }

  private func record(_ draft: String, _ db: Database) throws -> AttachmentRecord? {
    try Catalog(self).record(draft, Transaction(SQLiteCommandSender(db), .sqlite))
  }

  /// Looks for changes until no draft is watched or the catalog is closed.
  private func poll() {
    Task.detached(priority: .utility) { [weak self] in
      repeat { try? await Task.sleep(for: Self.pause) } while await self?.look() == true
    }
  }

  /// Looks whether another process has changed the file, one small read for all who watch; only then
  /// are the drafts read.
  ///
  /// - Returns: whether to look again.
  private func look() async -> Bool {
    guard (try? enter()) != nil else { return false }
    return await withCheckedContinuation { continuation in
      queue.asyncWriteWithoutTransaction { [self] db in
        defer { calls.leave() }
        continuation.resume(returning: look(db))
      }
    }
  }

  private func look(_ db: Database) -> Bool {
    let drafts = watchers.drafts
    // Watchers are added on this queue, so none comes in between.
    if drafts.isEmpty {
      polling.withLock { $0 = Polling() }
      return false
    }
    do {
      try checkPlace()
      // Before the drafts: what changes after it is found with the next look.
      let version = try Int64.fetchOne(db.cachedStatement(sql: "PRAGMA data_version"))
      if version != polling.withLock(\.version) {
        for draft in drafts { watchers.refresh(try record(draft, db), draft: draft) }
        polling.withLock { $0.version = version }
      }
    } catch {
      logger.debug("changes not looked for", metadata: ["error": "\(error)"])
    }
    return true
  }
}
