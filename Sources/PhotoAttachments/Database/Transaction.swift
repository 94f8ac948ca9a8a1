/// Where a transaction's commands go. One thread at a time uses it.
package protocol CommandSender: AnyObject {
  /// Runs commands in their order, in one round trip where there are any. When one fails, none of those
  /// after it happens.
  func send(_ commands: [Command]) throws -> [CommandResult]
  /// What a failure means.
  func mapped(_ error: any Error) -> StoreError
}

/// Runs commands in a database, whole or not at all. A transaction locks what it depends on, writes, has its
/// pictures named, and is committed: in this order everywhere.
package final class Transaction {
  package var sender: any CommandSender
  package let dialect: Dialect
  /// Whether something outside depends on it, so that it cannot be begun again: set before pictures are
  /// named or deleted.
  package var hasSideEffects = false
  /// Whether it is to end without having happened.
  package var rollsBack = false
  /// What happens once it is committed, in the order of the commits.
  package var commitActions: [@Sendable () -> Void] = []
  /// Whether a command failed: then nothing of it is kept.
  package private(set) var hasFailed = false

  package init(_ sender: any CommandSender, _ dialect: Dialect) {
    self.sender = sender
    self.dialect = dialect
  }

  /// The rows of a command.
  @discardableResult
  package func rows(
    _ sql: String, _ values: [FieldValue] = [], isRepeated: Bool = true
  ) throws -> [ResultRow] {
    try send([Command(sql, values, isRepeated: isRepeated)])[0].rows
  }

  /// How many rows a command changed.
  @discardableResult
  package func run(
    _ sql: String, _ values: [FieldValue] = [], isRepeated: Bool = true
  ) throws -> Int {
    try send([Command(sql, values, isRepeated: isRepeated)])[0].touched
  }

  /// The answer to a query, asked in one round trip; each of its commands sees what was committed when
  /// its turn came.
  package func ask<Value>(_ query: Query<Value>) throws -> Value {
    try query.value(try send(query.commands)[...])
  }

  /// The answers to several.
  package func ask<each Value>(
    _ queries: repeat Query<each Value>
  ) throws -> (repeat each Value) {
    try ask(
      Query(repeat each queries) { (values: repeat each Value) in (repeat each values) })
  }

  /// Lets no other transaction lock this before the end of this one.
  ///
  /// - Returns: false where transactions that write never run beside each other.
  @discardableResult
  package func lock(_ lock: Lock) throws -> Bool { try !send(dialect.locking(lock)).isEmpty }

  /// Has pictures published that it records; without them it is rolled back.
  ///
  /// - Parameter pictures: says whether they are there.
  /// - Returns: whether they are.
  package func publish(_ pictures: () throws -> Bool) throws -> Bool {
    hasSideEffects = true
    let arePublished = try pictures()
    rollsBack = !arePublished
    return arePublished
  }

  /// Lets something happen once it is committed; never when it is rolled back.
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

/// What only one transaction locks at a time, beside rows that it selects `forUpdate`.
package enum Lock: Sendable {
  /// A draft that has no attachment.
  case newDraft(String)
  /// A photo by its id.
  case photo(String)
  /// Files and blobs with these digests, while a group decides on them.
  case digests(Set<String>)
  /// Marks of what was erased, before anything is: a transaction that records what has no mark yet (`newRecords`)
  /// waits for it, and the other way round.
  case erasures
  /// Marks of what was erased, against new ones; many transactions may hold this lock at a time.
  case newRecords
  /// A chip, while it is being announced.
  case chip(String)
  /// A client's tries.
  case client(String)
  /// The objects of these pictures in the store at a place.
  case objects(of: [BlobPath], at: FieldValue)
  /// An announcement that is not changed, only referred to.
  case announcement(String)
  /// The space of web drafts, so that no two transactions let more drafts give way than they have to.
  case draftSpace
}

/// Pictures that a transaction locks: until it ends no other records, gives up or deletes them. Their
/// numbers, where a database has any.
package struct LockedPictures: Sendable {
  package var ids: [BlobPath: Int64]

  package init(_ ids: [BlobPath: Int64] = [:]) { self.ids = ids }
}
