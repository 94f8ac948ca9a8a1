import Glibc
import PhotoAttachments
import PhotoIngestion
import Synchronization

/// Reads from and writes to a database in atomic transactions. Calls block.
final class PostgresDatabase: RecordsDatabase {
  let pool: PostgresPool
  private let probe: PostgresPool
  let dialect: Dialect
  /// Held from a commit until the watchers in this process have been notified of it, so that they are notified in
  /// order.
  private let turn = Mutex(())
  private let calls = OpenCalls()
  /// The threads on which transactions wait for the server, so that Swift's own threads don't block.
  let threads = WorkerPool(threadCount: 4)
  private let lookUps = WorkerPool(threadCount: 2)
  private let searches = WorkerPool(threadCount: 2)
  /// Runs short commands that check whether the database is reachable or show that this process is alive.
  let health = WorkerPool(threadCount: 1)

  /// The locks of three groups of records. Writers of a group share its lock, unless one asks to be alone.
  enum CommonLock: Int { case records = 2, objects, uploads }

  private let commonLock: CommonLock

  init(_ pool: PostgresPool, _ dialect: Dialect, commonLock: CommonLock = .records) {
    self.pool = pool
    self.dialect = dialect
    self.commonLock = commonLock
    probe = PostgresPool(pool.address, timeout: min(pool.timeout, 1), most: 1)
  }

  /// The number of seconds to wait for other processes.
  var timeout: Double { pool.timeout }

  /// Ends current calls, rejects new ones and closes idle connections.
  func close() {
    calls.close()
    pool.close()
    probe.close()
  }

  /// Returns the rows of one statement, which sees a single snapshot.
  func rows(_ sql: String, _ values: [FieldValue]) throws(StoreError) -> [ResultRow] {
    try again(pool) { try $0.execute(sql, values).rows }
  }

  /// Runs several queries on one snapshot.
  ///
  /// - Parameter beside: `true` to run without a transaction. That saves a round trip, but each query sees a snapshot
  ///   of its own.
  func read<T>(beside: Bool, _ work: (Transaction) throws -> T) throws(StoreError) -> T {
    try performRead(beside: beside, from: pool, work)
  }

  private func performRead<T>(
    beside: Bool, from pool: PostgresPool, _ work: (Transaction) throws -> T
  ) throws(StoreError) -> T {
    try again(pool) { connection in
      let begin = Command("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
      let sender = PostgresCommandSender(connection, of: pool, opening: beside ? [] : [begin])
      if beside { return try work(Transaction(sender, dialect)) }
      do {
        let value = try work(Transaction(sender, dialect))
        if sender.isBegun { try connection.execute("COMMIT") }
        return value
      } catch {
        rollBack(sender, connection)
        throw error
      }
    }
  }

  func reading<T: Sendable>(
    _ kind: ReadingKind, _ work: @escaping @Sendable (Transaction) throws -> T
  ) async throws(StoreError) -> T {
    let queue =
      switch kind {
      case .search: searches
      case .health: health
      case .lookUp, .list: lookUps
      }
    // Uses a separate connection, so that the check doesn't fail only because all others are in use.
    let pool = kind == .health ? probe : pool
    return try await queue.finish { [self] in try performRead(beside: false, from: pool, work) }
  }

  /// Runs work that changes nothing, and repeats it if the connection breaks.
  private func again<T>(
    _ pool: PostgresPool, _ work: (PostgresConnection) throws -> T
  ) throws(StoreError) -> T {
    try calls.enter()
    defer { calls.leave() }
    var tries = 0
    while true {
      do { return try pool.lend(work) } catch let error as PostgresError
        where error.isBroken && tries < 2
      {
        tries += 1
      } catch {
        throw pool.mapped(error)
      }
    }
  }

  /// Runs one transaction. A dry run is rolled back. After a deadlock or a lost connection it is repeated, unless its
  /// effects have been visible outside.
  func write<T>(
    dryRun: Bool, alone: Bool, _ work: (Transaction) throws -> T
  ) throws(StoreError) -> T {
    try calls.enter()
    defer { calls.leave() }
    var tries = 0
    while true {
      var hasSideEffects = false
      do {
        return try pool.lend { connection in
          let mark = CommitMark(connection)
          let sender = PostgresCommandSender(
            connection, of: pool, opening: opening(alone: alone) + mark.commands)
          let transaction = Transaction(sender, dialect)
          defer { hasSideEffects = transaction.hasSideEffects }
          return try committed(transaction, sender, connection, mark, dryRun: dryRun) {
            if alone { try sender.begin() }
            return try work($0)
          }
        }
      } catch let error as PostgresError
        where error.isWorthAnotherTry && !hasSideEffects && tries < 6
      {
        tries += 1
        usleep(.random(in: 1000...10_000) << UInt32(tries))
      } catch {
        throw pool.mapped(error)
      }
    }
  }

  /// Returns the commands that begin a transaction and lock its group until it ends. The lock's number is unlikely to
  /// be used by other programs.
  private func opening(alone: Bool) -> [Command] {
    let lock = alone ? "pg_advisory_xact_lock" : "pg_advisory_xact_lock_shared"
    return [
      Command("BEGIN ISOLATION LEVEL READ COMMITTED"),
      Command("SELECT \(lock)(1346720848, \(commonLock.rawValue))"),
    ]
  }

  private func committed<T>(
    _ transaction: Transaction, _ sender: PostgresCommandSender, _ connection: PostgresConnection,
    _ mark: CommitMark, dryRun: Bool, _ work: (Transaction) throws -> T
  ) throws -> T {
    let value: T
    do { value = try work(transaction) } catch {
      rollBack(sender, connection)
      throw error
    }
    guard sender.isBegun else { return value }
    if dryRun || transaction.rollsBack || transaction.hasFailed {
      try connection.execute("ROLLBACK")
      if transaction.hasFailed { throw StoreError.fault(.transaction) }
      return value
    }
    var mark = mark
    mark.number = sender.number ?? ""
    if transaction.commitActions.isEmpty {
      try commit(connection, mark)
    } else {
      try turn.withLock { _ in
        try commit(connection, mark)
        for action in transaction.commitActions { action() }
      }
    }
    return value
  }

  private func rollBack(_ sender: PostgresCommandSender, _ connection: PostgresConnection) {
    if sender.isBegun { _ = try? connection.execute("ROLLBACK") }
  }

  /// Runs work while no watcher is being notified.
  func withNotificationsPaused(_ work: () throws -> Void) throws {
    try turn.withLock { _ in try work() }
  }

  private func commit(_ connection: PostgresConnection, _ mark: CommitMark) throws {
    do { try connection.execute("COMMIT") } catch {
      guard error.isLost else { throw error }
      if try !isCommitted(mark) { throw error }
    }
  }

  /// Finds out whether a transaction was committed after the response to COMMIT was lost.
  ///
  /// - Throws: `StoreError.unreachable` if the database can't be reached within the time limit.
  private func isCommitted(_ mark: CommitMark) throws -> Bool {
    let end = ContinuousClock.now + .seconds(max(timeout, 5))
    while true {
      if let isCommitted = try? mark.isCommitted(asking: pool.connect()) { return isCommitted }
      guard ContinuousClock.now < end else {
        throw StoreError.unreachable(
          service: "PostgreSQL at \(pool.address.shown)",
          detail: "the connection was lost while recording, and it's unknown whether the "
            + "change was saved")
      }
      usleep(100_000)
    }
  }
}
