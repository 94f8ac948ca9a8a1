package import PhotoIngestion

/// The interface of a database, which SQLite and PostgreSQL implement in their own modules. All other database code is
/// shared and uses this protocol.
package protocol RecordsDatabase: Sendable {
  var dialect: Dialect { get }
  /// The threads on which async functions run blocking transactions.
  var threads: WorkerPool { get }

  /// Returns the rows of one read-only command, which sees a single snapshot. Blocks.
  func rows(_ sql: String, _ values: [FieldValue]) throws(StoreError) -> [ResultRow]

  /// Runs several read-only commands on a single snapshot. Blocks.
  ///
  /// - Parameter beside: `true` to read the last committed data without waiting for a transaction that writes.
  func read<T>(beside: Bool, _ work: (Transaction) throws -> T) throws(StoreError) -> T

  /// Runs one transaction, which is durable when the call returns. A dry run is rolled back. `work` may be called again
  /// after a conflict, unless it has set `Transaction.hasSideEffects`. If the response to a commit is lost, its outcome
  /// is determined. Blocks.
  ///
  /// - Parameter alone: `true` to keep other writing transactions from running at the same time.
  func write<T>(
    dryRun: Bool, alone: Bool, _ work: (Transaction) throws -> T
  ) throws(StoreError) -> T

  /// Reads committed data without blocking the caller's thread. One kind of reading never waits for another.
  func reading<T: Sendable>(
    _ kind: ReadingKind, _ work: @escaping @Sendable (Transaction) throws -> T
  ) async throws(StoreError) -> T
}

/// The kinds of reading.
package enum ReadingKind: Sendable {
  /// Few rows, by an index.
  case lookUp
  /// The first rows of a list, by an index.
  case list
  /// Many rows.
  case search
  /// A check that the database responds.
  case health
}

extension RecordsDatabase {
  package func rows(_ sql: String) throws(StoreError) -> [ResultRow] { try rows(sql, []) }

  package func read<T>(_ work: (Transaction) throws -> T) throws(StoreError) -> T {
    try read(beside: false, work)
  }

  /// Runs one transaction without blocking the caller's thread. It also runs if the task is cancelled, because the
  /// outcome of a cancelled task has to be recorded.
  package func writing<T: Sendable>(
    dryRun: Bool = false, _ work: @escaping @Sendable (Transaction) throws -> T
  ) async throws(StoreError) -> T {
    try await threads.finish { try write(dryRun: dryRun, alone: false, work) }
  }

  package func write<T>(
    dryRun: Bool = false, _ work: (Transaction) throws -> T
  ) throws(StoreError) -> T {
    try write(dryRun: dryRun, alone: false, work)
  }
}
