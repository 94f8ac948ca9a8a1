import GRDB
import Glibc
package import PhotoAttachments
import Synchronization

/// Transactions, and commits whose outcome is unclear.
extension SQLiteDatabase {
  /// Runs one transaction. It is always alone, because SQLite allows a single writer at a time.
  package func write<T>(
    dryRun: Bool, alone _: Bool, _ work: (Transaction) throws -> T
  ) throws(StoreError) -> T {
    try enter()
    defer { calls.leave() }
    do {
      return try writer.writeWithoutTransaction { try transaction($0, dryRun: dryRun, work) }
    } catch {
      throw mapped(error)
    }
  }

  /// Runs one transaction that begins immediately. Its commit actions run before the next transaction.
  private func transaction<T>(
    _ db: Database, dryRun: Bool, _ work: (Transaction) throws -> T
  ) throws -> T {
    let t = transaction(on: db)
    let mark = Int64.random(in: 1 ... .max)
    var value: T?
    do {
      try checkPlace()
      do {
        try db.inTransaction(.immediate) {
          let before = db.totalChangesCount
          let made = try work(t)
          if t.hasFailed { throw StoreError.fault(.transaction) }
          value = made
          if dryRun || t.rollsBack { return .rollback }
          if db.totalChangesCount > before {
            try db.cachedStatement(
              sql: "INSERT OR REPLACE INTO \(names.name("last_commit")) (slot, mark) VALUES (?, ?)"
            ).execute(arguments: [markSlot, mark])
          }
          return .commit
        }
      } catch  where value != nil && isOnRecord(mark, db) {
        // The transaction was committed, but something failed afterwards: syncing the deletion of the journal, or
        // releasing a lock. Syncing the folder makes the commit durable.
        try syncFolder()
      }
    } catch {
      let error = mapped(error, errno: db.systemErrno)
      if Self.mayPass(error) { hasFailed.store(true, ordering: .relaxed) }
      throw error
    }
    guard let value else { throw StoreError.fault(.transaction) }
    if !dryRun, !t.rollsBack { for action in t.commitActions { action() } }
    return value
  }

  /// Returns `true` if the transaction with this mark was committed. It reads the mark from the file, because the error
  /// of a failed commit doesn't tell.
  private func isOnRecord(_ mark: Int64, _ db: Database) -> Bool {
    let found = try? Int64.fetchOne(
      db, sql: "SELECT mark FROM \(names.name("last_commit")) WHERE slot = ?", arguments: [markSlot]
    )
    return found == mark
  }

  private func syncFolder() throws(StoreError) {
    let folder = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    let descriptor = try SystemCalls.open(folder, flags: O_RDONLY | O_DIRECTORY, path: folder)
    defer { Glibc.close(descriptor) }
    try SystemCalls.sync(descriptor, path: folder)
  }

  /// Begins a call. If a disk failure prevented both the commit and the rollback of a transaction, SQLite rolls it back
  /// during the connection's next read, which may fail or still see the transaction. This function makes that read.
  func enter() throws(StoreError) {
    try calls.enter()
    guard hasFailed.exchange(false, ordering: .relaxed) else { return }
    writer.asyncRead { [self] access in
      _ = try? runReading(access.get()) { try $0.rows("SELECT count(*) FROM store") }
    }
  }

  func mapped(_ error: any Error, errno: Int32 = 0) -> StoreError {
    StoreError(catalog: error, path: path, busySeconds: busySeconds, errno: errno)
  }

  /// Returns a transaction that sends its commands to this connection.
  func transaction(on db: Database) -> Transaction {
    Transaction(SQLiteCommandSender(db, names), .sqlite)
  }
}
