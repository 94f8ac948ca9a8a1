import Foundation
package import GRDB
import GRDBSQLite
import Glibc
import Hashing
package import Logging
package import PhotoAttachments
package import PhotoIngestion
import Synchronization

/// An SQLite database file: the catalog of a cache folder, the ledger of its objects, or a snapshot in a backup. A
/// process opens a file once, with one connection that writes and several that only read (`SQLiteReaders`).
///
/// It uses a rollback journal instead of WAL because SQLite 3.7.0 to 3.51.2 can corrupt a WAL database if two processes
/// checkpoint at the same time. It uses `synchronous=EXTRA` so that commits survive a power cut: `FULL` doesn't sync
/// the deletion of the journal, and a journal that reappears undoes its transaction. Write transactions begin
/// immediately, so they wait for other processes at the start and never in the middle.
package final class SQLiteDatabase: RecordsStore, RecordsDatabase {
  /// The connection that writes. A host's database may have others that read.
  package let writer: any DatabaseWriter
  let names: TableNames
  /// Identifies this process to the others that use the cache folder.
  let folderWorker: FolderWorker
  let logger: Logger
  package let threads = WorkerPool(threadCount: 4)
  package let watchers = AttachmentWatchers()
  /// The state of polling for changes by other processes.
  let polling = Mutex(Polling())
  /// `nil` in a host's database, which reads on its own connections.
  let readers: SQLiteReaders?
  /// `true` if a host opened the database, so that it also looks after the file and closes it.
  var isHosted: Bool { readers == nil }
  /// A name that only these records have. `nil` in a file of our own.
  let recordsName: String?
  let calls = OpenCalls()
  /// `true` if the last transaction failed because of the disk (see `enter()`).
  let hasFailed = Atomic(false)
  let busySeconds: Int
  let path: String
  /// The device and inode of the file, set when it is opened.
  private let identity = Mutex<[UInt64]?>(nil)
  /// The threads that open readers, which may have to wait for a lock.
  private static let openers = WorkerPool(threadCount: 2)
  /// The row of `last_commit` for this connection's marks, which show whether a failed commit took effect (see
  /// `isOnRecord`). It is chosen at random so that another process is unlikely to overwrite it.
  let markSlot = Int.random(in: 0..<256)

  /// Opens or creates the catalog. A file that is damaged or of an unknown version is rejected and left unchanged.
  ///
  /// - Parameters:
  ///   - worker: this process among those that use the cache folder.
  ///   - tables: the tables besides those of photos.
  ///   - busyTimeout: the number of seconds to wait while another process writes.
  ///   - hasPictures: `true` if the cache already contains pictures.
  ///   - logger: receives problems that don't make a call fail.
  convenience init(
    _ worker: FolderWorker, tables: [TableGroup], busyTimeout: TimeInterval, hasPictures: Bool,
    logger: Logger
  ) throws(StoreError) {
    try self.init(
      worker, worker.folder.catalog, .catalog(tables, hasPictures: hasPictures),
      busyTimeout: busyTimeout, logger: logger)
  }

  /// Opens or creates the file next to the catalog with the ledger of objects (`ObjectLedger`). Its transactions are
  /// durable before a request is sent, even if the catalog's surrounding transaction is rolled back.
  static func objects(
    _ worker: FolderWorker, busyTimeout: TimeInterval, logger: Logger
  ) throws(StoreError) -> SQLiteDatabase {
    let path = worker.folder.path + "/database/objects.sqlite"
    try CacheFolder.secure(path)
    return try SQLiteDatabase(worker, path, .objects, busyTimeout: busyTimeout, logger: logger)
  }

  /// Opens or creates a catalog file in a backup folder.
  ///
  /// - Parameters:
  ///   - tables: the tables besides those of photos.
  ///   - isReadOnly: `true` for a finished snapshot. Otherwise the file isn't synced and is lost if the machine
  ///     crashes.
  package static func backup(
    _ path: String, of folder: CacheFolder, tables: [TableGroup], isReadOnly: Bool, logger: Logger
  ) throws(StoreError) -> SQLiteDatabase {
    try SQLiteDatabase(
      FolderWorker(folder: folder), path, .catalog(tables, hasPictures: false), busyTimeout: 1,
      use: isReadOnly ? .snapshot : .scratch, logger: logger)
  }

  /// Opens or creates the tables of photos in a host's database.
  ///
  /// - Parameters:
  ///   - worker: this process among those that use the folder of pictures.
  ///   - prefix: the beginning of the tables' names.
  ///   - hasPictures: `true` if the folder already contains pictures.
  ///   - logger: receives problems that don't make a call fail.
  init(
    _ worker: FolderWorker, host: any DatabaseWriter, prefix: String, hasPictures: Bool,
    logger: Logger
  ) throws(StoreError) {
    folderWorker = worker
    self.logger = logger
    writer = host
    path = host.path
    let names = try Schema.names(prefix: prefix)
    self.names = names
    readers = nil
    busySeconds = 0
    do {
      try host.writeWithoutTransaction(Self.checkSettings)
      try Schema.catalog([], hasPictures: hasPictures).prepare(host, names)
      recordsName = try host.read { db in
        try Self.readRecordsName(Transaction(SQLiteCommandSender(db, names), .sqlite))
      }
    } catch { throw StoreError(catalog: error, path: path, busySeconds: 0) }
  }

  /// Checks what we need from a host's connection, and raises `synchronous` so that commits survive a power cut.
  private static func checkSettings(_ db: Database) throws {
    guard try Bool.fetchOne(db, sql: "PRAGMA foreign_keys") == true else {
      throw StoreError.database(.failed, detail: "PRAGMA foreign_keys is off, and has to be on")
    }
    let mode = try String.fetchOne(db, sql: "PRAGMA journal_mode") ?? "none"
    let file = try String.fetchOne(db, sql: "SELECT file FROM pragma_database_list WHERE seq = 0")
    guard file?.isEmpty != false || !["memory", "off"].contains(mode) else {
      throw StoreError.database(.journalMode, detail: mode)
    }
    let synchronous = mode == "delete" ? 3 : 2
    if try Int.fetchOne(db, sql: "PRAGMA synchronous") ?? 0 < synchronous {
      try db.execute(sql: "PRAGMA synchronous = \(synchronous)")
    }
  }

  /// Returns a name that only these records have.
  static func readRecordsName(_ t: Transaction) throws -> String {
    let secret = try t.rows("SELECT secret FROM store").first?.data(0) ?? Data()
    return sha256(of: Array(secret))
  }

  private enum Use { case store, scratch, snapshot }

  private init(
    _ worker: FolderWorker, _ path: String, _ schema: Schema, busyTimeout: TimeInterval,
    use: Use = .store, logger: Logger
  ) throws(StoreError) {
    self.folderWorker = worker
    self.path = path
    self.logger = logger
    busySeconds = Int(busyTimeout.rounded(.up))
    names = .plain
    readers = SQLiteReaders(path, busyTimeout: busyTimeout)
    recordsName = nil
    var configuration = Configuration()
    configuration.label = "PetSpot.catalog"
    configuration.foreignKeysEnabled = true
    configuration.readonly = use == .snapshot
    let timeout = BusyHandler(seconds: busyTimeout, microseconds: 500...5000)
    configuration.busyMode = .callback(timeout.waits)
    configuration.prepareDatabase { db in
      db.add(function: SQLiteCommandSender.differingBits)
      let wanted = use == .scratch ? "memory" : "delete"
      let mode = try String.fetchOne(db, sql: "PRAGMA journal_mode = \(wanted)")
      guard mode == wanted else {
        throw StoreError.database(.journalMode, detail: mode ?? "none")
      }
      // The cache doesn't spill because writing changed pages before the commit would lock out all readers until then.
      // It is large enough for a group of photos, which changes many pages because keys are digests. Deleted data, such
      // as names and phone numbers, is overwritten; `sweep` gives free pages back.
      try db.execute(
        sql: """
          PRAGMA synchronous = \(use == .scratch ? "OFF" : "EXTRA"); PRAGMA trusted_schema = OFF;
          PRAGMA cache_spill = OFF; PRAGMA cache_size = -8000;
          PRAGMA secure_delete = ON
          """)
    }
    do {
      writer = try DatabaseQueue(path: path, configuration: configuration)
    } catch {
      throw StoreError(catalog: error, path: path, busySeconds: busySeconds)
    }
    do {
      try schema.prepare(writer, names)
    } catch {
      throw StoreError(
        catalog: error, path: path, busySeconds: busySeconds,
        errno: (try? writer.unsafeRead(\.systemErrno)) ?? 0)
    }
    try checkPlace()
  }

  /// Throws if the file is no longer at its path. SQLite works by path, so a connection to a replaced file would take
  /// the new file's journal for its own, play it back and delete it.
  func checkPlace() throws(StoreError) {
    if isHosted { return }
    var status = stat()
    let code = stat(path, &status) == 0 ? 0 : errno
    let found = code == 0 ? [UInt64(status.st_dev), UInt64(status.st_ino)] : []
    let isSame = identity.withLock { known in
      if known == nil, code == 0 { known = found }
      return known == found
    }
    if code != 0, ![ENOENT, ENOTDIR].contains(code) {
      throw StoreError(operation: "stat", path: path, errno: code)
    }
    if !isSame { throw .database(.replaced, detail: path) }
  }

  package var folder: CacheFolder { folderWorker.folder }

  // MARK: - RecordsStore

  package var database: any RecordsDatabase { self }
  package var workers: any WorkerRegistry { folderWorker }
  package var place: String {
    "sqlite " + URL(fileURLWithPath: path).resolvingSymlinksInPath().path
  }
  /// Empty, because only one machine uses the file.
  package var origins: (files: String, objects: String) { ("", "") }

  /// Cuts free pages off the end of the file. It takes several short transactions, so that other processes can write in
  /// between.
  package func giveBackSpace() throws(StoreError) {
    if isHosted { return }
    while try write({ t in
      let free = try t.rows("PRAGMA freelist_count", isRepeated: false).first?.number(0) ?? 0
      // The pragma frees one page for each row that is read.
      try t.rows("PRAGMA incremental_vacuum(256)", isRepeated: false)
      return free > 256
    }) {}
  }

  /// Writes a copy without free pages to a new file.
  package func copy(to path: String) throws(StoreError) {
    do {
      try writer.writeWithoutTransaction { try $0.execute(sql: "VACUUM INTO ?", arguments: [path]) }
    } catch { throw mapped(error) }
  }

  /// Frees the page caches of all connections, up to 2 MB each.
  package func releaseMemory() {
    guard let readers else { return }
    for queue in [writer] + readers.queues where (try? calls.enter()) != nil {
      queue.asyncWriteWithoutTransaction { [calls] db in
        db.releaseMemory()
        calls.leave()
      }
    }
  }

  package func close() throws(StoreError) {
    calls.close()
    guard let readers else { return }
    do {
      for queue in readers.queues { try queue.close() }
      try writer.close()
    } catch {
      throw mapped(error)
    }
  }

  // MARK: - RecordsDatabase

  package var dialect: Dialect { .sqlite }

  package func rows(_ sql: String, _ values: [FieldValue]) throws(StoreError) -> [ResultRow] {
    try read(beside: false) { try $0.rows(sql, values) }
  }

  package func read<T>(
    beside: Bool, _ work: (Transaction) throws -> T
  ) throws(StoreError) -> T {
    try enter()
    defer { calls.leave() }
    let reader = beside ? try openReader(.lookUp) : writer
    defer { if beside { end(reader, .lookUp) } }
    do throws(StoreError) { return try readSnapshot(on: reader, work) } catch
      where isWorthRetrying(error, after: reader, .lookUp)
    {
      return try readSnapshot(on: writer, work)
    }
  }

  private func readSnapshot<T>(
    on reader: any DatabaseReader, _ work: (Transaction) throws -> T
  ) throws(StoreError) -> T {
    do { return try reader.read { try runReading($0, work) } } catch { throw mapped(error) }
  }

  package func reading<T: Sendable>(
    _ kind: ReadingKind, _ work: @escaping @Sendable (Transaction) throws -> T
  ) async throws(StoreError) -> T {
    try enter()
    defer { calls.leave() }
    var found: (any DatabaseReader)? = readers == nil ? writer : readers?.begin(kind)
    if found == nil { found = try await Self.openers.finish { [self] in try openReader(kind) } }
    guard let reader = found else { throw .fault(.unexpected) }
    defer { end(reader, kind) }
    do throws(StoreError) { return try await readSnapshot(on: reader, work) } catch
      where isWorthRetrying(error, after: reader, kind)
    {
      return try await readSnapshot(on: writer, work)
    }
  }

  private func readSnapshot<T: Sendable>(
    on reader: any DatabaseReader, _ work: @escaping @Sendable (Transaction) throws -> T
  ) async throws(StoreError) -> T {
    let result: Result<T, any Error> = await withCheckedContinuation { continuation in
      reader.asyncRead { [self] access in
        continuation.resume(returning: Result { try runReading(access.get(), work) })
      }
    }
    do { return try result.get() } catch { throw mapped(error) }
  }

  /// Runs work and reads the errno of an error before the connection does anything else.
  func runReading<T>(_ db: Database, _ work: (Transaction) throws -> T) throws -> T {
    do {
      try checkPlace()
      return try work(transaction(on: db))
    } catch {
      throw mapped(error, errno: db.systemErrno)
    }
  }

  private func openReader(_ kind: ReadingKind) throws(StoreError) -> any DatabaseReader {
    guard let readers else { return writer }
    if let reader = readers.begin(kind) { return reader }
    // A new connection would play back the journal of a file that has replaced this one.
    try checkPlace()
    do { return try readers.open(kind) } catch { throw mapped(error) }
  }

  private func end(_ reader: any DatabaseReader, _ kind: ReadingKind) {
    if let queue = reader as? DatabaseQueue { readers?.end(queue, kind) }
  }

  /// Returns `true` if the read may succeed on the connection that writes. That is the case after a transaction that
  /// failed because of the disk, and if the reader was locked out, which a failing disk can cause. A search isn't
  /// repeated because it would block that connection for too long.
  private func isWorthRetrying(
    _ error: StoreError, after reader: any DatabaseReader, _ kind: ReadingKind
  ) -> Bool {
    if case .busy = error { return reader !== writer && kind != .search }
    return Self.mayPass(error)
  }

  /// Returns `true` if an earlier transaction may have caused an error.
  static func mayPass(_ error: StoreError) -> Bool {
    switch error {
    case .storage, .storageFull, .database(.damaged, _): true
    default: false
    }
  }
}

extension SQLiteDatabase {
  /// The version of the system's SQLite.
  package static var libraryVersion: String { String(cString: sqlite3_libversion()) }
}
