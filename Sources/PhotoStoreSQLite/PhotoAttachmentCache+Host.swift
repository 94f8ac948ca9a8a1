public import Foundation
public import GRDB
public import Logging
public import PhotoAttachments
public import PhotoIngestion

/// Records of photos in a host's own GRDB database, written in the host's own transactions.
extension PhotoAttachmentCache {
  /// Opens a cache whose records are tables in a host's database. Its pictures are files in a folder.
  ///
  /// The host opens, migrates, backs up and closes the database. It may be a queue or a pool, with a rollback journal
  /// or WAL. It needs foreign keys, which GRDB turns on. Commits have to survive a power cut, so the writing
  /// connection's `synchronous` is raised to `FULL`, or to `EXTRA` if each commit deletes the journal. Use a WAL
  /// database from a single process before SQLite 3.51.3, which mends a race that can damage it. Don't use GRDB's
  /// `eraseDatabaseOnSchemaChange`, which would erase tables that it doesn't know.
  ///
  /// - Parameters:
  ///   - database: The host's database.
  ///   - folder: The folder of the pictures. It belongs to this database from then on.
  ///   - prefix: The beginning of our tables' names: lowercase letters, digits and underscores.
  ///   - policy: The limits and the normalized form.
  ///   - decoding: The place where photos are decoded, by default sandboxed processes of this program.
  ///   - now: The clock for `savedAt` and expiry.
  ///   - logger: Receives problems that don't make a call fail.
  /// - Throws: The errors of `open(_:)`. `StoreError.database(.failed)` if foreign keys are off or the prefix has other
  ///   characters. `.journalMode` if the database has no journal on disk.
  public static func open(
    in database: any DatabaseWriter, folder: CacheFolder, prefix: String = "petspot_",
    policy: PhotoPolicy = .init(), decoding: PhotoDecoding = .sandboxed(),
    now: @escaping @Sendable () -> Date = { Date() }, logger: Logger = Logger(label: "petspot")
  ) async throws(StoreError) -> PhotoAttachmentCache {
    let pool = WorkerPool()
    return try await pool.finish {
      try folder.make()
      // Earlier versions didn't save which records the pictures of a folder belong to.
      guard try SystemCalls.status(folder.catalog, path: folder.catalog) == nil else {
        throw StoreError.database(.otherRecords, detail: folder.path)
      }
      let worker = FolderWorker(folder: folder)
      let records = try SQLiteDatabase(
        worker, host: database, prefix: prefix, hasPictures: try folder.hasPictures(),
        logger: logger)
      try folder.claimPictures(for: "host \(records.recordsName ?? "")")
      return PhotoAttachmentCache(
        folder, catalog: Catalog(records), blobs: FolderStorage(worker), policy: policy,
        pool: pool, decoding: decoding, now: now, logger: logger)
    }
  }

  /// Attaches a prepared photo in the host's transaction. If it is rolled back or the process ends before the commit,
  /// the attachment is as before, and `sweep` deletes the stored pictures.
  ///
  /// The photo that it replaces is deleted after the commit.
  ///
  /// - Parameters:
  ///   - photo: The photo from `prepare(_:)`.
  ///   - key: The host's name for the attachment.
  ///   - db: The connection of the host's transaction, which must be one that writes to the database of
  ///     `open(in:folder:)`.
  /// - Throws: `StoreError.fault(.blobVanished)` if a sweep has deleted the stored pictures: prepare the photo again.
  ///   `.fault(.attachedTwice)` if the prepared photo is attached already. `.fault(.transaction)` outside of a
  ///   transaction that writes to this database. Errors of the database. The attachment is then as before, even if the
  ///   transaction is committed.
  public func attach(
    _ photo: PreparedAttachment, to key: AttachmentKey, in db: Database
  ) throws(StoreError) {
    try change(key, db) { t in try attach(photo, to: key, t) }
  }

  /// Removes an attachment in the host's transaction. Its photo is deleted after the commit.
  ///
  /// - Throws: `StoreError.fault(.transaction)` outside of a transaction that writes to this database. Errors of the
  ///   database.
  public func remove(_ key: AttachmentKey, in db: Database) throws(StoreError) {
    try change(key, db) { t in try remove(key, t) }
  }

  /// Runs a change in the host's transaction, and deletes the pictures that it releases after the commit. A savepoint
  /// undoes a change that fails, because the host may still commit.
  private func change(
    _ key: AttachmentKey, _ db: Database, _ work: (Transaction) throws -> [BlobPath]
  ) throws(StoreError) {
    guard let records = catalog.store as? SQLiteDatabase, records.isHosted,
      db.isInsideTransaction, !db.onlyReads
    else { throw .fault(.transaction) }
    try records.calls.enter()
    defer { records.calls.leave() }
    var released: [BlobPath] = []
    do {
      try db.inSavepoint {
        let t = records.transaction(on: db)
        released = try work(t)
        // Checked at the end, because the first command has to write.
        guard try SQLiteDatabase.readRecordsName(t) == records.recordsName else {
          throw StoreError.fault(.transaction)
        }
        return .commit
      }
    } catch { throw records.mapped(error, errno: db.systemErrno) }
    db.afterNextTransaction { [self, released] db in
      // The host may have rolled back to an earlier savepoint, so the watchers get the state that was committed.
      records.refreshWatchers(of: key.text, db)
      // Not awaited, because the host's connection is busy until this closure returns. A picture that isn't deleted is
      // left to `sweep`.
      if !released.isEmpty { Task { await release(released) } }
    }
  }
}

extension Database {
  /// `true` in a transaction that can't write, as in `DatabaseWriter.read`.
  fileprivate var onlyReads: Bool {
    // A failure is reported by the command that follows.
    configuration.readonly || (try? Bool.fetchOne(self, sql: "PRAGMA query_only")) == true
  }
}
