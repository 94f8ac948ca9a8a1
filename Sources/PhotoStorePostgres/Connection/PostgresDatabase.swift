import Glibc
import PhotoAttachments
import PhotoIngestion
import Synchronization

/// Reading and writing in a database, each whole or not at all. Calls block.
final class PostgresDatabase: RecordsDatabase {
  let pool: PostgresPool
  private let probe: PostgresPool
  let dialect: Dialect
  /// Held from the commit of what watchers in this process are notified of to the notification, so that they receive
  /// it in order.
  private let turn = Mutex(())
  private let calls = OpenCalls()
  /// Where transactions wait for the server, never on Swift's own threads.
  let threads = WorkerPool(threadCount: 4)
  private let lookUps = WorkerPool(threadCount: 2)
  private let searches = WorkerPool(threadCount: 2)
  /// Waits for short commands that say whether the database, or this process, is alive.
  let health = WorkerPool(threadCount: 1)

  /// Acts of writing on the same records: all of them, until one asks to be alone.
  enum CommonLock: Int { case records = 2, objects, uploads }

  private let commonLock: CommonLock

  init(_ pool: PostgresPool, _ dialect: Dialect, commonLock: CommonLock = .records) {
    self.pool = pool
    self.dialect = dialect
    self.commonLock = commonLock
    probe = PostgresPool(pool.address, timeout: min(pool.timeout, 1), most: 1)
  }

  /// Seconds to wait for others.
  var timeout: Double { pool.timeout }

  /// Ends calls under way, lets no more in, and closes what is idle.
  func close() {
    calls.close()
    pool.close()
    probe.close()
  }

  /// The rows of one statement, which sees one moment.
  func rows(_ sql: String, _ values: [FieldValue]) throws(StoreError) -> [ResultRow] {
    try again(pool) { try $0.run(sql, values).rows }
  }

  /// Reads one moment in several statements.
  ///
  /// - Parameter beside: nothing that is read waits for those who write; a round trip less, each question
  ///   then sees a moment of its own.
  func read<T>(beside: Bool, _ work: (Transaction) throws -> T) throws(StoreError) -> T {
    try read(beside: beside, from: pool, work)
  }

  private func read<T>(
    beside: Bool, from pool: PostgresPool, _ work: (Transaction) throws -> T
  ) throws(StoreError) -> T {
    try again(pool) { connection in
      let begin = Command("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
      let sender = PostgresCommandSender(connection, of: pool, opening: beside ? [] : [begin])
      if beside { return try work(Transaction(sender, dialect)) }
      do {
        let value = try work(Transaction(sender, dialect))
        if sender.isBegun { try connection.run("COMMIT") }
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
    // Whether the server answers has nothing to do with how many of our connections are in use.
    let pool = kind == .health ? probe : pool
    return try await queue.finish { [self] in try read(beside: false, from: pool, work) }
  }

  /// Something that changes nothing, once more when the connection breaks.
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

  /// Runs one transaction; a dry run is rolled back. When it and another wait for each other, or the
  /// connection breaks, it is begun again, unless its effects were seen.
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

  /// Begins a transaction, which holds a lock while it is under way; its number is one that others hardly use.
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
      try connection.run("ROLLBACK")
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
    if sender.isBegun { _ = try? connection.run("ROLLBACK") }
  }

  /// Does something while no one is notified.
  func betweenNews(_ work: () throws -> Void) throws { try turn.withLock { _ in try work() } }

  private func commit(_ connection: PostgresConnection, _ mark: CommitMark) throws {
    do { try connection.run("COMMIT") } catch {
      guard error.isLost else { throw error }
      if try !isCommitted(mark) { throw error }
    }
  }

  /// Whether a transaction was committed whose answer was lost.
  ///
  /// - Throws: `StoreError.unreachable` when it can't be found out for as long as it waits.
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
