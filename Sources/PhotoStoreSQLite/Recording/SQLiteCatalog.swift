import Foundation
package import GRDB
import GRDBSQLite
import Glibc
import Logging
package import PhotoAttachments
import PhotoIngestion
import Synchronization

/// The database file: opened once per process, one connection on a queue of its own, and some that only
/// read (`ReadConnection`).
///
/// Rollback journal, not WAL: SQLite 3.7.0 to 3.51.2 can corrupt a WAL database when two processes
/// checkpoint. `synchronous=EXTRA`, so what was committed survives a power cut: `FULL` does not sync
/// the journal's deletion, and a journal that comes back undoes its transaction. Writes begin
/// immediately, so a busy catalog is waited for at the start and never in the middle.
package final class SQLiteCatalog: RecordsStore {
  /// The connection; other modules of the package keep their tables in the same file through it.
  package let queue: DatabaseQueue
  /// Who we are to others at the cache folder that the file lies in.
  let folderWorkers: FolderWorkers
  let busyTimeout: TimeInterval
  let logger: Logger
  let acts = WorkerPool(threadCount: 4)
  package let watchers = AttachmentWatchers()
  package var workers: any WorkerRegistry { folderWorkers }
  package var place: String {
    "sqlite " + URL(fileURLWithPath: path).resolvingSymlinksInPath().path
  }
  /// Files are of one machine.
  package var origins: (files: String, objects: String) { ("", "") }
  /// The look for what other processes change, while a draft is watched.
  let looking = Mutex(Looking())
  /// What the connection of lists was asked.
  let remembered = Mutex(QueryCache())
  /// Hears of what would be another answer.
  private let changes = TableChanges(of: QueryCache.table)
  /// The connections that only read, each opened when it is first needed.
  let readConnections = Mutex<[ReadConnection: [(queue: DatabaseQueue, reads: Int)]]>([:])
  /// Whether the last transaction failed at the disk, see `settle`.
  let hasFailed = Atomic(false)
  let busySeconds: Int
  let path: String
  /// Whether the act under way is to end without having happened.
  let rollsBack = Atomic(false)
  /// The row of its marks, which hardly another process uses: no other's commit takes away what says that
  /// ours was done.
  private let markSlot = Int.random(in: 0..<256)
  /// What waits for the transaction under way to be committed; there is one at a time.
  private let waiting = Mutex<[@Sendable () -> Void]>([])

  /// Opens or makes the catalog. A file that is damaged or of another version of
  /// this program is refused and left as it is.
  ///
  /// - Parameters:
  ///   - workers: this process among those that use the cache folder.
  ///   - busyTimeout: seconds to wait while another process writes.
  ///   - hasPictures: whether the cache already holds pictures.
  ///   - logger: gets what goes wrong without failing a call.
  convenience init(
    _ workers: FolderWorkers, busyTimeout: TimeInterval, hasPictures: Bool, logger: Logger
  ) throws(StoreError) {
    try self.init(
      workers, workers.folder.catalog, .catalog(hasPictures: hasPictures),
      busyTimeout: busyTimeout, logger: logger)
  }

  /// Opens or makes the file beside the catalog that a ledger of objects is in. Its acts are on the disk
  /// before a request is sent, whatever becomes of the catalog's act that they are made in.
  static func objects(
    _ workers: FolderWorkers, busyTimeout: TimeInterval, logger: Logger
  ) throws(StoreError) -> SQLiteCatalog {
    let path = workers.folder.path + "/database/objects.sqlite"
    let file = try SQLiteCatalog(
      workers, path, .objects, busyTimeout: busyTimeout, logger: logger)
    chmod(path, 0o600)
    return file
  }

  private init(
    _ workers: FolderWorkers, _ path: String, _ schema: Schema, busyTimeout: TimeInterval,
    logger: Logger
  ) throws(StoreError) {
    (self.folderWorkers, self.path, self.busyTimeout, self.logger) = (
      workers, path, busyTimeout, logger
    )
    busySeconds = Int(busyTimeout.rounded(.up))
    var configuration = Configuration()
    configuration.label = "PetSpot.catalog"
    configuration.foreignKeysEnabled = true
    let timeout = BusyHandler(seconds: busyTimeout, microseconds: 500...5000)
    configuration.busyMode = .callback(timeout.waits)
    configuration.prepareDatabase { db in
      db.add(function: SQLiteCommandSender.differingBits)
      let mode = try String.fetchOne(db, sql: "PRAGMA journal_mode = DELETE")
      guard mode == "delete" else {
        throw StoreError.database(.journalMode, detail: mode ?? "none")
      }
      // Pages that a transaction changed stay in memory until it commits: written earlier, they would
      // lock out every reader from then on. Keys are digests, so a group changes many pages. What is
      // deleted, names and phone numbers, is overwritten; `sweep` gives free pages back.
      try db.execute(
        sql: """
          PRAGMA synchronous = EXTRA; PRAGMA trusted_schema = OFF;
          PRAGMA cache_spill = OFF; PRAGMA cache_size = -8000;
          PRAGMA secure_delete = ON
          """)
    }
    do {
      queue = try DatabaseQueue(path: path, configuration: configuration)
    } catch {
      throw StoreError(catalog: error, path: path, busySeconds: busySeconds)
    }
    queue.add(transactionObserver: changes, extent: .databaseLifetime)
    do {
      try schema.prepare(queue)
    } catch {
      throw StoreError(
        catalog: error, path: path, busySeconds: busySeconds,
        errno: queue.inDatabase(\.systemErrno))
    }
  }

  package var folder: CacheFolder { folderWorkers.folder }

  /// Calls under way, and whether there may be more.
  let calls = DispatchGroup()
  private let isClosed = Mutex(false)

  /// Cuts free pages off the end of the file, some at a time, so that others write in between.
  package func giveBackSpace() throws(StoreError) {
    while try write({ db in
      let free = try Int.fetchOne(db, sql: "PRAGMA freelist_count") ?? 0
      // It frees a page with each row it answers.
      _ = try Row.fetchAll(db, sql: "PRAGMA incremental_vacuum(256)")
      return free > 256
    }) {}
  }

  /// The pages that connections keep, up to 2 MB each.
  package func releaseMemory() {
    for queue in [queue] + readConnections.withLock({ $0.values.flatMap { $0.map(\.queue) } })
    where (try? enter()) != nil {
      queue.asyncWriteWithoutTransaction { [calls] db in
        db.releaseMemory()
        calls.leave()
      }
    }
  }

  package func close() throws(StoreError) {
    isClosed.withLock { $0 = true }
    calls.wait()
    do {
      try readConnections.withLock { for held in $0.values.joined() { try held.queue.close() } }
      try queue.close()
    } catch {
      throw mapped(error)
    }
  }

  func enter() throws(StoreError) {
    let isEntered = isClosed.withLock { isClosed in
      if !isClosed { calls.enter() }
      return !isClosed
    }
    guard isEntered else { throw .database(.closed, detail: "") }
    settle()
  }

  /// Reads, blocking the calling thread while it does.
  package func read<T>(_ work: (Database) throws -> T) throws(StoreError) -> T {
    try read(queue, work)
  }

  /// Reads on one of the connections.
  func read<T>(
    _ queue: DatabaseQueue, _ work: (Database) throws -> T
  ) throws(StoreError) -> T {
    try enter()
    defer { calls.leave() }
    return try twice { () throws(StoreError) in
      do { return try queue.read { db in try mappingErrors(db, work) } } catch {
        throw mapped(error)
      }
    }
  }

  /// After a transaction that a failing disk let neither happen nor be undone, SQLite undoes it with the
  /// connection's next look, which may still see it, or fail. That look is made here.
  private func settle() {
    guard hasFailed.exchange(false, ordering: .relaxed) else { return }
    queue.asyncRead { _ = try? Int.fetchOne($0.get(), sql: "SELECT count(*) FROM store") }
  }

  /// Looks once more when a look fails at the disk, for the same reason.
  private func twice<T>(_ look: () throws(StoreError) -> T) throws(StoreError) -> T {
    do throws(StoreError) { return try look() } catch  where Self.mayPass(error) {
      return try look()
    }
  }

  /// Whether an error may be that of an earlier transaction.
  static func mayPass(_ error: StoreError) -> Bool {
    switch error {
    case .storage, .storageFull, .database(.damaged, _): true
    default: false
    }
  }

  /// Runs one transaction that begins immediately, blocking the calling thread while it does. A dry
  /// run is rolled back.
  package func write<T>(
    dryRun: Bool = false, _ work: (Database) throws -> T
  ) throws(StoreError) -> T {
    try enter()
    defer { calls.leave() }
    do {
      return try queue.writeWithoutTransaction { try transaction($0, dryRun: dryRun, work) }
    } catch {
      throw mapped(error)
    }
  }

  /// Lets something happen once the transaction under way is on record, in the order of the commits;
  /// never when it is rolled back. Call it inside the transaction's work, and not through another
  /// connection's hooks: a commit can be done although SQLite says that it failed.
  package func whenCommitted(_ happen: @escaping @Sendable () -> Void) {
    waiting.withLock { $0.append(happen) }
  }

  func transaction<T>(
    _ db: Database, dryRun: Bool, _ work: (Database) throws -> T
  ) throws -> T {
    var again: [QueryCache.Key: QueryCache.Entry] = [:]
    let result = Result {
      try committed(db, dryRun: dryRun) { db in
        let value = try work(db)
        if !dryRun, changes.areSeen { again = readAgain(db) }
        return value
      }
    }
    var isCommitted = !dryRun && !rollsBack.load(ordering: .relaxed)
    if case .failure = result { isCommitted = false }
    if !isCommitted { again = [:] }
    remembered.withLock { $0.end(hasChanged: changes.haveHappened(), again: again) }
    let waited = waiting.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
    if case .failure(let error) = result, Self.mayPass(mapped(error)) {
      hasFailed.store(true, ordering: .relaxed)
    }
    let value = try result.get()
    if isCommitted { for happen in waited { happen() } }
    return value
  }

  /// The answers that clients ask for, as this transaction leaves them.
  private func readAgain(
    _ db: Database
  ) -> [QueryCache.Key: QueryCache.Entry] {
    remembered.withLock(\.worthReading).compactMapValues { answer in
      var answer = answer
      guard let value = try? answer.reading?(db) else { return nil }
      answer.value = value
      return answer
    }
  }

  private func committed<T>(
    _ db: Database, dryRun: Bool, _ work: (Database) throws -> T
  ) throws -> T {
    try mappingErrors(db) { db in
      var value: T?
      let mark = Int64.random(in: 1 ... .max)
      do {
        try db.inTransaction(.immediate) {
          let version = try Int64.fetchOne(db.cachedStatement(sql: "PRAGMA data_version"))
          remembered.withLock { $0.begin(version: version) }
          let before = db.totalChangesCount
          rollsBack.store(false, ordering: .relaxed)
          value = try work(db)
          if dryRun || rollsBack.load(ordering: .relaxed) { return .rollback }
          if db.totalChangesCount > before {
            try db.cachedStatement(
              sql: "INSERT OR REPLACE INTO last_commit (slot, mark) VALUES (?, ?)"
            ).execute(arguments: [markSlot, mark])
          }
          return .commit
        }
      } catch  where value != nil && isOnRecord(mark, db) {
        // The commit was done when something failed: syncing the deletion of the journal, letting go
        // of a lock. It only remains to be made sure that it lasts.
        try syncFolder()
      }
      guard let value else { throw StoreError.fault(.transaction) }
      return value
    }
  }

  /// Whether the transaction that left this mark was committed. It has to be read from the file: what
  /// a failed commit says is no answer.
  private func isOnRecord(_ mark: Int64, _ db: Database) -> Bool {
    let found = try? Int64.fetchOne(
      db, sql: "SELECT mark FROM last_commit WHERE slot = ?", arguments: [markSlot])
    return found == mark
  }

  private func syncFolder() throws(StoreError) {
    let folder = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    let descriptor = try SystemCalls.open(folder, flags: O_RDONLY | O_DIRECTORY, path: folder)
    defer { Glibc.close(descriptor) }
    try SystemCalls.sync(descriptor, path: folder)
  }

  /// Asks the connection for the cause of an error before it does anything else.
  func mappingErrors<T>(_ db: Database, _ work: (Database) throws -> T) throws -> T {
    do { return try work(db) } catch let error as DatabaseError {
      throw StoreError(
        catalog: error, path: path, busySeconds: busySeconds, errno: db.systemErrno)
    }
  }

  /// Lets SQLite check every page and index of the file. What it finds wrong with single rows of the
  /// photos' own tables is left to those who can say which photo it is about.
  ///
  /// - Throws: `StoreError.database(.damaged)` with the first finding.
  package func checkIntegrity() throws(StoreError) {
    let finding = try read { db -> String? in
      let findings = try String.fetchAll(db, sql: "PRAGMA integrity_check(1000)")
      if let finding = findings.first(where: { $0 != "ok" && !Self.isAboutOurRow($0) }) {
        return finding
      }
      let references = try Row.fetchCursor(db, sql: "PRAGMA foreign_key_check")
      while let row = try references.next() {
        let parent: String = row[2]
        if !["photo", "library_photo"].contains(parent) { return "\(row)" }
      }
      return nil
    }
    if let finding { throw .database(.damaged, detail: finding) }
  }

  /// Whether SQLite reports a value that our schema forbids: `CHECK constraint failed in photo`,
  /// `NULL value in photo.id`, `non-INTEGER value in photo.blobWidth`.
  private static func isAboutOurRow(_ finding: String) -> Bool {
    let words = finding.split(separator: " ")
    guard finding.hasPrefix("CHECK constraint failed in ") || finding.contains(" value in "),
      let table = words.last?.split(separator: ".").first
    else { return false }
    return ["photo", "library_photo", "source_file", "attachment"].contains(table)
  }

  /// What a failed use of `queue` means.
  package func mapped(_ error: any Error) -> StoreError {
    StoreError(catalog: error, path: path, busySeconds: busySeconds)
  }
}

extension SQLiteCatalog {
  /// Version of the system's SQLite.
  package static var libraryVersion: String { String(cString: sqlite3_libversion()) }
}
