/// The connection that receives a transaction's commands. It is used by one thread at a time.
package protocol CommandSender: AnyObject {
  /// Runs commands in order, in one round trip if possible. If one fails, the following ones don't run.
  func send(_ commands: [Command]) throws -> [CommandResult]
  /// Converts an error of the database.
  func mapped(_ error: any Error) -> StoreError
}

/// Runs commands in a database, atomically. A transaction first locks the rows that it depends on. Then it writes, and
/// has its pictures named (given their final names in the storage) or checked, in either order. Then it is committed.
package final class Transaction {
  package var sender: any CommandSender
  package let dialect: Dialect
  /// `true` if the transaction has effects outside of the database, so that it can't be run again. It is set before
  /// pictures are named or deleted.
  package var hasSideEffects = false
  /// `true` to roll the transaction back at its end.
  package var rollsBack = false
  /// Actions to run after the commit, in commit order.
  package var commitActions: [@Sendable () -> Void] = []
  /// `true` if a command failed, so that the transaction can't be committed.
  package private(set) var hasFailed = false
  /// The references to photos, once they were read (see `PhotoReference.all`).
  var photoReferences: [PhotoReference]?

  package init(_ sender: any CommandSender, _ dialect: Dialect) {
    self.sender = sender
    self.dialect = dialect
  }

  /// Returns the rows of a command.
  @discardableResult
  package func rows(
    _ sql: String, _ values: [FieldValue] = [], isRepeated: Bool = true
  ) throws -> [ResultRow] {
    try send([Command(sql, values, isRepeated: isRepeated)])[0].rows
  }

  /// Runs a command and returns the number of rows that it changed.
  @discardableResult
  package func execute(
    _ sql: String, _ values: [FieldValue] = [], isRepeated: Bool = true
  ) throws -> Int {
    try send([Command(sql, values, isRepeated: isRepeated)])[0].touched
  }

  /// Runs a query in one round trip. Each of its commands sees the data that was committed when it started.
  package func fetch<Value>(_ query: Query<Value>) throws -> Value {
    try query.value(try send(query.commands)[...])
  }

  /// Runs several queries in one round trip.
  package func fetch<each Value>(
    _ queries: repeat Query<each Value>
  ) throws -> (repeat each Value) {
    try fetch(
      Query(repeat each queries) { (values: repeat each Value) in (repeat each values) })
  }

  /// Locks something against other transactions until the end of this one.
  ///
  /// - Returns: `false` in SQLite, where only one transaction writes at a time.
  @discardableResult
  package func lock(_ lock: Lock) throws -> Bool { try !send(dialect.locking(lock)).isEmpty }

  /// Publishes the pictures that the transaction records. If they are missing, the transaction is rolled back.
  ///
  /// - Parameter pictures: publishes the pictures and returns `true` if they exist.
  /// - Returns: the result of `pictures`.
  package func publish(_ pictures: () throws -> Bool) throws -> Bool {
    hasSideEffects = true
    let arePublished = try pictures()
    rollsBack = !arePublished
    return arePublished
  }

  /// Calls `happen` after the commit. It isn't called if the transaction is rolled back.
  package func afterCommit(_ happen: @escaping @Sendable () -> Void) {
    commitActions.append(happen)
  }

  private func send(_ commands: [Command]) throws -> [CommandResult] {
    if commands.isEmpty { return [] }
    do { return try sender.send(commands) } catch {
      hasFailed = true
      throw error
    }
  }
}

/// The things that only one transaction locks at a time, besides rows that are selected with `forUpdate`.
package enum Lock: Sendable {
  /// A draft without an attachment.
  case newDraft(String)
  /// A photo, by its ID.
  case photo(String)
  /// Files and blobs with these digests, while a group decides on them.
  case digests(Set<String>)
  /// The marks of erased photos, before anything is erased. This excludes transactions that check marks before they
  /// record something (`newRecords`).
  case erasures
  /// The marks of erased photos, against new ones. Several transactions may hold this lock at a time.
  case newRecords
  /// A chip, while it is being announced.
  case chip(String)
  /// A client's tries.
  case client(String)
  /// The objects of these pictures in the store at a place.
  case objects(of: [BlobPath], at: FieldValue)
  /// An announcement that the transaction refers to but doesn't change.
  case announcement(String)
  /// The space of web drafts, so that concurrent transactions don't delete more drafts than necessary.
  case draftSpace
}

/// Pictures that a transaction has locked, with their row numbers in databases that lock rows. Until the transaction
/// ends, other transactions can't record, release or delete them.
package struct LockedPictures: Sendable {
  package var ids: [BlobPath: Int64]

  package init(_ ids: [BlobPath: Int64] = [:]) { self.ids = ids }
}
