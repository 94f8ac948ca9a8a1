package import PhotoIngestion

/// What a database has to offer. Everything that is written and read is written once, over this.
package protocol RecordsDatabase: Sendable {
  var dialect: Dialect { get }
  /// The threads on which async functions let transactions block.
  var threads: WorkerPool { get }

  /// Returns the rows of one command that changes nothing; it sees one moment. Blocks.
  func rows(_ sql: String, _ values: [FieldValue]) throws(StoreError) -> [ResultRow]

  /// Reads one moment in several commands. Blocks.
  ///
  /// - Parameter beside: whether it doesn't wait while a transaction writes; it sees what was
  ///   committed.
  func read<T>(beside: Bool, _ work: (Transaction) throws -> T) throws(StoreError) -> T

  /// Runs one transaction, durable when it returns; a dry run is rolled back. It may run again from its
  /// beginning, unless something outside depends on it (`Transaction.hasSideEffects`). Whether a commit happened whose answer was
  /// lost is cleared up. Blocks.
  ///
  /// - Parameter alone: whether no other transaction that writes runs beside it.
  func write<T>(
    dryRun: Bool, alone: Bool, _ work: (Transaction) throws -> T
  ) throws(StoreError) -> T

  /// Reads beside what is being recorded, without blocking the caller's thread. No kind of reading waits
  /// for another.
  func reading<T: Sendable>(
    _ kind: ReadingKind, _ work: @escaping @Sendable (Transaction) throws -> T
  ) async throws(StoreError) -> T
}

/// What is read.
package enum ReadingKind: Sendable {
  /// Few rows, by an index.
  case lookUp
  /// The first rows of a list, by an index.
  case list
  /// Many rows.
  case search
  /// Whether the database answers.
  case health
}

extension RecordsDatabase {
  package func rows(_ sql: String) throws(StoreError) -> [ResultRow] { try rows(sql, []) }

  package func read<T>(_ work: (Transaction) throws -> T) throws(StoreError) -> T {
    try read(beside: false, work)
  }

  /// Runs one transaction without blocking the caller's thread. A cancelled task's runs all the same: the
  /// way out has to be recorded too.
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
