package import PhotoIngestion

/// What a database has to offer. Every act of writing and reading is written once, over this.
package protocol RecordsDatabase: Sendable {
  var dialect: Dialect { get }
  /// Where async functions wait for it.
  var acts: WorkerPool { get }

  /// The rows of one command that changes nothing; it sees one moment. Blocks.
  func rows(_ sql: String, _ values: [FieldValue]) throws(StoreError) -> [ResultRow]

  /// Reads one moment in several commands. Blocks.
  ///
  /// - Parameter beside: whether it doesn't wait while a transaction of writing works; it sees what was
  ///   committed.
  func read<T>(beside: Bool, _ act: (Transaction) throws -> T) throws(StoreError) -> T

  /// Runs one transaction, durable when it returns; a dry run is rolled back. It may run again from its
  /// beginning, unless something outside depends on it (`Transaction.hasSideEffects`). Whether a commit happened whose answer was
  /// lost is cleared up. Blocks.
  ///
  /// - Parameter alone: whether no other act of writing runs beside it.
  func write<T>(
    dryRun: Bool, alone: Bool, _ act: (Transaction) throws -> T
  ) throws(StoreError) -> T

  /// `read` beside what is being recorded, without blocking the caller's thread. No kind of reading waits
  /// for another.
  func reading<T: Sendable>(
    _ kind: ReadingKind, _ act: @escaping @Sendable (Transaction) throws -> T
  ) async throws(StoreError) -> T
}

/// What is read.
package enum ReadingKind: Sendable {
  /// Few rows, by an index.
  case lookUp
  /// What many ask for: `question` differs for acts with different answers, so that equal ones may share
  /// one. With `staysCurrent` it may be asked again in the transaction that changes its answer.
  case shared(question: any Hashable & Sendable, staysCurrent: Bool)
  /// Many rows.
  case search
  /// Whether the database answers.
  case health
}

extension RecordsDatabase {
  package func rows(_ sql: String) throws(StoreError) -> [ResultRow] { try rows(sql, []) }

  package func read<T>(_ act: (Transaction) throws -> T) throws(StoreError) -> T {
    try read(beside: false, act)
  }

  package func reading<T: Sendable>(
    _ act: @escaping @Sendable (Transaction) throws -> T
  ) async throws(StoreError) -> T {
    try await reading(.lookUp, act)
  }

  /// `write` without blocking the caller's thread. A cancelled task's act runs all the same: the way out
  /// has to be recorded too.
  package func writing<T: Sendable>(
    _ act: @escaping @Sendable (Transaction) throws -> T
  ) async throws(StoreError) -> T {
    try await acts.act { () throws(StoreError) in try write(act) }
  }

  package func write<T>(
    dryRun: Bool = false, _ act: (Transaction) throws -> T
  ) throws(StoreError) -> T {
    try write(dryRun: dryRun, alone: false, act)
  }
}
