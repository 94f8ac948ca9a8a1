import Glibc
import Logging
import PhotoAttachments
import PhotoIngestion
import PhotoStoreSQLite
import ReportFlow

/// A database file with the catalog of a snapshot in a backup folder, or of a snapshot that is still being made,
/// together with access to the pictures that it refers to.
struct RecordsFile: Sendable {
  let photos: PhotoAttachmentCache
  private let database: SQLiteDatabase
  private let path: String

  /// - Parameters:
  ///   - cache: the cache whose threads and limits are used.
  ///   - blobs: the place of the pictures. `nil` means the folder.
  init(
    _ path: String, of folder: BackupFolder, isReadOnly: Bool, beside cache: PhotoAttachmentCache,
    blobs: (any BlobStorage)? = nil
  ) throws(StoreError) {
    let logger = Logger(label: "petspot")
    self.path = path
    database = try .backup(
      path, of: folder.pictures, tables: [.reports], isReadOnly: isReadOnly, logger: logger)
    photos = PhotoAttachmentCache(
      folder.pictures, catalog: Catalog(database),
      blobs: blobs ?? folder.storage, policy: cache.policy,
      pool: cache.pool, decoding: .inProcess, logger: logger)
  }

  func copy(to path: String) throws(StoreError) { try database.copy(to: path) }

  func close() {
    do throws(StoreError) { try database.close() } catch {
      Logger(label: "petspot").warning("not closed", metadata: ["path": "\(path)"])
    }
  }

  /// Closes and deletes a temporary file.
  func discard() {
    close()
    unlink(path)
  }

  // MARK: - Objects of pictures that stay in an object store

  private static let table = """
    CREATE TABLE backup_object (key TEXT PRIMARY KEY, sha256 TEXT NOT NULL, size INTEGER NOT NULL)
    STRICT, WITHOUT ROWID
    """

  /// Writes the keys of all pictures' objects into this file, because the pictures themselves stay in the object store.
  func copyObjectKeys(of storage: any ObjectBlobStorage) throws(StoreError) {
    _ = try database.write { t in try t.execute(Self.table, isRepeated: false) }
    for kind in BlobPath.Kind.ofRecords {
      for prefix in StoreShard.whole.prefixes {
        let objects = try storage.ledger.objects(of: kind, in: prefix).map {
          [.text(storage.key($0)), .text($0.place.sha256), FieldValue($0.sizeBytes)]
        }
        try database.write { t in
          for values in objects {
            try t.execute(
              "INSERT INTO backup_object (key, sha256, size) VALUES ($1, $2, $3)", values)
          }
        }
      }
    }
  }

  /// Returns `true` if the pictures are objects in an object store.
  func hasObjects() throws(StoreError) -> Bool {
    try !database.rows("SELECT 1 FROM sqlite_master WHERE name = 'backup_object'").isEmpty
  }

  func removeUnusedKeys() throws(StoreError) {
    guard try hasObjects() else { return }
    _ = try database.write { t in
      try t.execute(
        """
        DELETE FROM backup_object WHERE sha256 NOT IN (
          SELECT "blobSHA256" FROM photo UNION ALL SELECT "previewSHA256" FROM photo)
        """)
    }
  }

  /// Copies the objects' keys from this file to the ledger (`ObjectLedger`) of a store that is restored.
  func registerObjects(in storage: any ObjectBlobStorage) throws(StoreError) {
    var last = ""
    while true {
      let rows = try database.rows(
        "SELECT key, size FROM backup_object WHERE key > $1 ORDER BY key LIMIT 500", [.text(last)])
      guard let end = rows.last?.text(0) else { return }
      last = end
      try storage.ledger.adopt(
        rows.compactMap { row in
          guard let key = row.text(0), let size = row.number(1) else { return nil }
          return storage.object(key: key, sizeBytes: Int(size))
        })
    }
  }
}
