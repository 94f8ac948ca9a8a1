import Foundation
import GRDB
import Logging
package import PhotoAttachments
import Synchronization

/// Notifies the watchers of a draft, which are functions that receive each change of its attachment.
extension SQLiteDatabase {
  /// The state of polling for changes by other processes. `version` is SQLite's number of the changes seen so far, or
  /// `nil` before the first poll.
  struct Polling {
    var isUnderWay = false
    var version: Int64?
  }

  /// The longest delay before a change by another process is noticed.
  private static let pause = Duration.milliseconds(500)

  package func watch(
    draft: String, _ receive: @escaping @Sendable (AttachmentRecord?) -> Bool
  ) -> @Sendable () -> Void {
    let id = UUID()
    // Uses the queue of the commits, so a change can't fall between the first read and the first notification.
    writer.asyncWriteWithoutTransaction { [self] db in
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
    try Catalog(self).record(draft, transaction(on: db))
  }

  /// Notifies a draft's watchers if its attachment has changed.
  func refreshWatchers(of draft: String, _ db: Database) {
    guard watchers.count(draft: draft) > 0 else { return }
    do { watchers.refresh(try record(draft, db), draft: draft) } catch {
      logger.error("status not read", metadata: ["draft": "\(draft)", "error": "\(error)"])
    }
  }

  /// Polls for changes until no draft is watched or the catalog is closed.
  private func poll() {
    // Detached, because one task polls for all watchers and must not end with the first of them.
    Task.detached(priority: .utility) { [weak self] in
      repeat { try? await Task.sleep(for: Self.pause) } while await self?.pollOnce() == true
    }
  }

  /// Checks whether another process has changed the file, with one small read for all watchers. The drafts are only
  /// read if it has.
  ///
  /// - Returns: `true` to poll again.
  private func pollOnce() async -> Bool {
    guard (try? enter()) != nil else { return false }
    return await withCheckedContinuation { continuation in
      writer.asyncWriteWithoutTransaction { [self] db in
        defer { calls.leave() }
        continuation.resume(returning: refreshWatchers(db))
      }
    }
  }

  private func refreshWatchers(_ db: Database) -> Bool {
    let drafts = watchers.drafts
    // Watchers are added on this queue, so none can be added in between.
    if drafts.isEmpty {
      polling.withLock { $0 = Polling() }
      return false
    }
    do {
      try checkPlace()
      // Read before the drafts, so that the next poll finds every change after it.
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
