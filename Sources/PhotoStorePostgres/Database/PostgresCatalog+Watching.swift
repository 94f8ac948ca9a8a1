import Logging
package import PhotoAttachments
import PhotoIngestion

/// Notifies the watchers of a draft, which are functions that receive each change of its attachment.
extension PostgresCatalog {
  package func watch(
    draft: String, _ hear: @escaping @Sendable (AttachmentRecord?) -> Bool
  ) -> @Sendable () -> Void {
    let one = Listener.Waiting(draft, hear)
    if listener.add(one) {
      // The pool's thread ends after this job, which is its only one.
      WorkerPool(threadCount: 1).add { [weak self, listener, server, logger] in
        Self.listen(listener, server, logger) { self }
      }
    }
    return { [watchers] in
      one.end()
      watchers.remove(one.id, draft: draft)
    }
  }

  /// Receives changes by other processes while there are watchers. The catalog is only retained while it is used, so
  /// that watching doesn't keep it open.
  private static func listen(
    _ listener: Listener, _ database: PostgresDatabase, _ logger: Logger,
    catalog: () -> PostgresCatalog?
  ) {
    while listener.goesOn(with: catalog()?.watchers.drafts ?? []) {
      do {
        let connection = try database.pool.connect()
        try connection.execute("LISTEN \(Dialect.channel)")
        // Changes before this moment were not notified.
        try catalog()?.notifyAll(connection)
        while listener.goesOn(with: catalog()?.watchers.drafts ?? []) {
          try catalog()?.notifyNew(connection)
          let payloads = try listener.notices(on: connection)
          guard let payloads, !payloads.contains("") else {
            try catalog()?.notifyAll(connection)
            continue
          }
          for draft in Set(payloads) { try catalog()?.notify(draft, connection) }
        }
      } catch {
        let message = (error as? PostgresError)?.message ?? "\(error)"
        logger.notice("change notifications lost", metadata: ["error": "\(message)"])
        catalog()?.notifyNewOfNothing()
        listener.rest()
      }
    }
  }

  /// Adds the new watchers between two notifications of this process, so that the record that each one starts with
  /// includes all changes notified before.
  private func notifyNew(_ connection: PostgresConnection) throws {
    for one in listener.takeWaiting() {
      try server.withNotificationsPaused {
        let current = try selectAttachment(one.draft, connection)
        watchers.add(one.id, draft: one.draft, current: current, one.hear)
      }
    }
  }

  /// Adds the new watchers without a record, because the database can't be read.
  private func notifyNewOfNothing() {
    for one in listener.takeWaiting() {
      watchers.add(one.id, draft: one.draft, current: nil, one.hear)
    }
  }

  private func notifyAll(_ connection: PostgresConnection) throws {
    for draft in watchers.drafts { try notify(draft, connection) }
  }

  private func notify(_ draft: String, _ connection: PostgresConnection) throws {
    guard watchers.count(draft: draft) > 0 else { return }
    try server.withNotificationsPaused {
      watchers.refresh(try selectAttachment(draft, connection), draft: draft)
    }
  }

  private func selectAttachment(
    _ draft: String, _ connection: PostgresConnection
  ) throws -> AttachmentRecord? {
    let rows = try connection.execute(
      Catalog(self).attachments(where: "draft = $1"), [.text(draft)]
    )
    .rows
    do throws(StoreError) { return try rows.first.flatMap(Catalog(self).record) } catch {
      logger.error("status not read", metadata: ["draft": "\(draft)", "error": "\(error)"])
      return nil
    }
  }
}
