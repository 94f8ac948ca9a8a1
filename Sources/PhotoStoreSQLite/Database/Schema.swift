import Foundation
import GRDB
import Hashing
import PhotoAttachments
import PhotoIngestion
import ReportFlow

/// The tables of a database file. If another version of this program created them, tables of a known earlier version
/// are migrated. All other files are rejected and left unchanged.
struct Schema: Sendable {
  let sql: String
  /// The initial values of the table `store`, without `schema`.
  let start: [String: any DatabaseValueConvertible & Sendable]
  /// The SQL that migrates the tables of an earlier version, by the digest of that version.
  var changes: [String: String] = [:]

  /// The value of `store.schema` for these tables.
  private var digest: String { sha256(of: Array(sql.utf8)) }

  /// Creates the tables in an empty file, or migrates those of an earlier version. Several processes may call this at
  /// the same time.
  ///
  /// - Throws: `StoreError.database(.otherVersion)` if the file has other tables.
  func prepare(_ queue: DatabaseQueue) throws {
    if try queue.read(missing) == nil { return }
    try queue.writeWithoutTransaction { db in
      // This pragma has no effect after the first page was written.
      try db.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
      try db.inTransaction(.immediate) {
        guard let missing = try missing(db) else { return .rollback }
        try db.execute(sql: missing)
        if missing != sql {
          try db.execute(sql: "UPDATE store SET schema = ?", arguments: [digest])
          return .commit
        }
        var values: [String: any DatabaseValueConvertible] = start
        values["schema"] = digest
        let columns = values.keys.sorted()
        try db.execute(
          sql: """
            INSERT INTO store (\(columns.joined(separator: ", ")))
            VALUES (\(columns.map { ":" + $0 }.joined(separator: ", ")))
            """, arguments: StatementArguments(values))
        return .commit
      }
    }
  }

  /// Returns the SQL that still has to be run, or `nil` if the tables are up to date.
  private func missing(_ db: Database) throws -> String? {
    if try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master") == 0 { return sql }
    do {
      let found = try String.fetchOne(db, sql: "SELECT schema FROM store")
      if found == digest { return nil }
      if let change = found.flatMap({ changes[$0] }) { return change }
    } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
      // The table or the column doesn't exist.
    }
    throw StoreError.database(.otherVersion, detail: "")
  }
}

extension Schema {
  /// The catalog's tables.
  ///
  /// - Parameter hasPictures: `true` if the cache had pictures before the catalog was created. The catalog was lost
  ///   then, and `sweep` must not delete the pictures.
  static func catalog(hasPictures: Bool) -> Self {
    Self(
      sql: catalogTables,
      start: [
        "last_ticket": 0, "found_pictures": hasPictures, "secret": Data(randomBytes(32)),
      ], changes: catalogChanges)
  }

  private static let catalogChanges = [
    "066cddf6f219f869875e4081ee467a0ef1ae818d6a0760bb5decb4aecb535506": """
    ALTER TABLE source_file ADD COLUMN fate TEXT CHECK (fate IN ('deleted', 'moved'));
    ALTER TABLE source_file ADD COLUMN moved_to BLOB;
    \(endOfCodes)
    """, "8236cd0e1450f947ae83d31b354541274c89a1b048f077ec39ac03ef735231c9": endOfCodes,
  ]

  /// Codes that were mailed by earlier versions never expire, so the migration invalidates them.
  private static let endOfCodes = """
    ALTER TABLE announcement ADD COLUMN new_password_until INTEGER;
    UPDATE announcement SET new_password_hash = NULL;
    """

  /// The marks of the last transactions, which show whether a transaction was committed.
  private static let commitMarks = """
    CREATE TABLE last_commit (slot INTEGER PRIMARY KEY, mark INTEGER NOT NULL) STRICT;
    """

  private static let catalogTables = """
    \(commitMarks)
    CREATE TABLE store (
      only INTEGER PRIMARY KEY CHECK (only = 1),
      schema TEXT NOT NULL,
      last_ticket INTEGER NOT NULL,
      found_pictures INTEGER NOT NULL,
      secret BLOB NOT NULL CHECK (length(secret) = 32)
    ) STRICT;
    \((Table.ofPhotos + Table.ofReports).map(Dialect.sqlite.creation).joined())
    CREATE INDEX photo_by_source ON photo (sourceSHA256);
    CREATE INDEX photo_by_blob ON photo (blobSHA256);
    CREATE INDEX photo_by_preview ON photo (previewSHA256);
    CREATE INDEX attachment_by_photo ON attachment (photo);
    CREATE INDEX library_photo_by_hash ON library_photo (perceptual_hash);
    CREATE INDEX library_photo_by_folder ON library_photo (folder, words, taken);
    CREATE INDEX library_photo_by_day ON library_photo (taken);
    CREATE INDEX source_file_by_inode ON source_file (origin, device, inode);
    CREATE INDEX source_file_by_digest ON source_file (sha256);
    CREATE INDEX source_file_by_photo ON source_file (photo);
    CREATE INDEX photo_size_by_digest ON photo_size (sha256);

    ALTER TABLE report_draft ADD COLUMN text_bytes INTEGER
      GENERATED ALWAYS AS (length(CAST(content AS BLOB))) VIRTUAL;
    CREATE INDEX report_draft_by_client ON report_draft (client, id, text_bytes)
      WHERE client IS NOT NULL;
    CREATE INDEX report_draft_by_key ON report_draft (submission_key);
    CREATE INDEX report_draft_by_announcement ON report_draft (announcement_id);
    CREATE INDEX creating_client_by_age ON creating_client (created_at);
    CREATE INDEX client_tries_by_age ON client_tries (full_at);
    CREATE INDEX announced_bytes_by_age ON announced_bytes (day);
    CREATE INDEX wrong_password_by_age ON wrong_password (tried_at);
    CREATE INDEX announcement_word_by_announcement ON announcement_word (announcement);
    CREATE INDEX announcement_closed ON announcement (closed_at) WHERE closed_at IS NOT NULL;
    CREATE INDEX announcement_by_photo ON announcement (photo_id) WHERE photo_id IS NOT NULL;
    -- An announcement is listed once it has its photo.
    CREATE INDEX announcement_listed_by_age ON announcement (created_at, number)
      WHERE closed_at IS NULL AND photo_id IS NOT NULL;
    CREATE INDEX announcement_listed_by_cell
      ON announcement (cell, created_at, latitude, longitude, closed_at, photo_id)
      WHERE closed_at IS NULL AND photo_id IS NOT NULL AND cell IS NOT NULL;
    CREATE INDEX announcement_listed_without_place ON announcement (created_at, number)
      WHERE closed_at IS NULL AND photo_id IS NOT NULL AND cell IS NULL;
    CREATE INDEX announcement_listed_by_chip ON announcement (microchip_number)
      WHERE closed_at IS NULL AND photo_id IS NOT NULL AND microchip_number IS NOT NULL;
    -- A repair may give a photo other bytes; announcements that show the photo show those.
    CREATE TRIGGER announcement_follows_photo AFTER UPDATE OF blobSHA256 ON photo
    WHEN OLD.blobSHA256 <> NEW.blobSHA256
    BEGIN
      UPDATE announcement SET photo_sha256 = NEW.blobSHA256 WHERE photo_id = NEW.id;
    END;
    """

  /// The tables of the ledger of objects (`ObjectLedger`), in a file of their own.
  static let objects = Self(
    sql: """
      \(commitMarks)
      CREATE TABLE store (schema TEXT NOT NULL) STRICT;
      CREATE TABLE object_writer (
        id TEXT PRIMARY KEY,
        place TEXT NOT NULL,
        worker TEXT NOT NULL,
        is_retired INTEGER NOT NULL DEFAULT 0
      ) STRICT, WITHOUT ROWID;
      CREATE TABLE object (
        nonce TEXT PRIMARY KEY,
        place TEXT NOT NULL,
        kind TEXT NOT NULL,
        sha256 TEXT NOT NULL,
        format TEXT NOT NULL,
        size INTEGER NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('named', 'doomed', 'aside')),
        name TEXT CHECK ((name IS NOT NULL) = (state = 'aside'))
      ) STRICT, WITHOUT ROWID;
      CREATE UNIQUE INDEX object_named ON object (kind, sha256, format) WHERE state = 'named';
      CREATE INDEX object_not_named ON object (state) WHERE state <> 'named';
      """, start: [:])
}
