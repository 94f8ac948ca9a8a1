import Foundation
import GRDB
import Hashing
import PhotoAttachments
import PhotoIngestion

/// The tables of a database file. If another version of this program created them, tables of a known earlier version
/// are migrated. All other files are rejected and left unchanged.
struct Schema: Sendable {
  let groups: [TableGroup]
  /// The initial values of the table `store`, without `schema`.
  let start: [String: any DatabaseValueConvertible & Sendable]

  /// Creates missing tables, and migrates those of an earlier version. Several processes may call this at the same
  /// time.
  ///
  /// - Throws: `StoreError.database(.otherVersion)` if the file has other tables.
  func prepare(_ writer: any DatabaseWriter, _ names: TableNames) throws {
    if try writer.read({ try versions($0, names) }).missing.isEmpty { return }
    try writer.writeWithoutTransaction { db in
      // This pragma has no effect after the first page was written.
      if names === TableNames.plain { try db.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL") }
      try db.inTransaction(.immediate) {
        let versions = try versions(db, names)
        if versions.missing.isEmpty { return .rollback }
        try db.execute(sql: names.sql(versions.missing))
        if !versions.isNew {
          try db.execute(
            sql: "UPDATE \(names.name("store")) SET schema = ?", arguments: [versions.text])
          return .commit
        }
        var values: [String: any DatabaseValueConvertible] = start
        values["schema"] = versions.text
        let columns = values.keys.sorted()
        try db.execute(
          sql: """
            INSERT INTO \(names.name("store")) (\(columns.joined(separator: ", ")))
            VALUES (\(columns.map { ":" + $0 }.joined(separator: ", ")))
            """, arguments: StatementArguments(values))
        return .commit
      }
    }
  }

  /// Compares the file's tables with these.
  ///
  /// - Throws: `StoreError.database(.otherVersion)` if another version of this program created them.
  private func versions(_ db: Database, _ names: TableNames) throws -> SchemaVersions {
    let store = names.name("store")
    // A file of our own has only our tables. A host's database may have others.
    let others = names === TableNames.plain ? "" : " WHERE name = '\(store)'"
    do {
      let isEmpty = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master\(others)") == 0
      let found = try isEmpty ? nil : String.fetchOne(db, sql: "SELECT schema FROM \(store)") ?? ""
      if let versions = SchemaVersions(recorded: found, groups: groups, .sqlite) {
        return versions
      }
    } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
      // The table or the column doesn't exist.
    }
    throw StoreError.database(.otherVersion, detail: "")
  }
}

extension Schema {
  /// Returns the names of the photos' tables in a host's database.
  ///
  /// - Throws: `StoreError.database(.failed)` for a prefix with other characters than lowercase letters, digits and
  ///   underscores.
  static func names(prefix: String) throws(StoreError) -> TableNames {
    guard prefix.wholeMatch(of: /[a-z_][a-z0-9_]{0,63}/) != nil, !prefix.hasPrefix("sqlite_") else {
      throw .database(.failed, detail: "\(prefix.debugDescription) can't begin names of tables")
    }
    return TableNames(prefix: prefix, creation: photoTables)
  }

  /// The catalog's tables.
  ///
  /// - Parameters:
  ///   - groups: the tables besides those of photos.
  ///   - hasPictures: `true` if the cache had pictures before the catalog was created. The catalog was lost then, and
  ///     `sweep` must not delete the pictures.
  static func catalog(_ groups: [TableGroup], hasPictures: Bool) -> Self {
    Self(
      groups: [photos] + groups,
      start: [
        "last_ticket": 0, "found_pictures": hasPictures, "secret": Data(randomBytes(32)),
      ])
  }

  /// The change that brought copies and the source of dates. Impossible dates go, as `TakenDate.best(of:now:)` no longer
  /// lets them in.
  private static let places = """
    ALTER TABLE library_photo ADD COLUMN taken_from TEXT
      CHECK (taken_from IN ('exif', 'sidecar', 'name'));
    UPDATE library_photo SET taken = NULL
      WHERE taken < '1990' OR substr(taken, 1, 10) > strftime('%Y-%m-%d', 'now', '+14 hours');
    UPDATE library_photo SET taken_from = 'exif' WHERE taken IS NOT NULL;
    DROP INDEX library_photo_by_folder;
    CREATE INDEX library_photo_by_folder ON library_photo (folder, words, taken, taken_from);
    \(Dialect.sqlite.creation(of: .libraryCopy))
    CREATE INDEX library_copy_by_folder ON library_copy (folder);

    """

  private static let photos = TableGroup(
    "photos",
    changes: [
      "066cddf6f219f869875e4081ee467a0ef1ae818d6a0760bb5decb4aecb535506": """
      ALTER TABLE source_file ADD COLUMN fate TEXT CHECK (fate IN ('deleted', 'moved'));
      ALTER TABLE source_file ADD COLUMN moved_to BLOB;
      \(places)
      """, "8236cd0e1450f947ae83d31b354541274c89a1b048f077ec39ac03ef735231c9": places,
      "845b6895264ad9ec7d69827895b4303db0b2e96dae7391375c02de52e043434c": places,
      "11677a1a9e32ebcd0ce345e0a0d0a4fb64045ce0ce2f113f1dc7b28d8c00cc9a": places,
    ]
  ) { _ in photoTables }

  /// The marks of the last transactions, which show whether a transaction was committed.
  private static let commitMarks = """
    CREATE TABLE last_commit (slot INTEGER PRIMARY KEY, mark INTEGER NOT NULL) STRICT;
    """

  private static let photoTables = """
    \(commitMarks)
    CREATE TABLE store (
      only INTEGER PRIMARY KEY CHECK (only = 1),
      schema TEXT NOT NULL,
      last_ticket INTEGER NOT NULL,
      found_pictures INTEGER NOT NULL,
      secret BLOB NOT NULL CHECK (length(secret) = 32)
    ) STRICT;
    \(Table.ofPhotos.map(Dialect.sqlite.creation).joined())
    CREATE INDEX photo_by_source ON photo (sourceSHA256);
    CREATE INDEX photo_by_blob ON photo (blobSHA256);
    CREATE INDEX photo_by_preview ON photo (previewSHA256);
    CREATE INDEX attachment_by_photo ON attachment (photo);
    CREATE INDEX library_photo_by_hash ON library_photo (perceptual_hash);
    CREATE INDEX library_photo_by_folder ON library_photo (folder, words, taken, taken_from);
    CREATE INDEX library_copy_by_folder ON library_copy (folder);
    CREATE INDEX library_photo_by_day ON library_photo (taken);
    CREATE INDEX source_file_by_inode ON source_file (origin, device, inode);
    CREATE INDEX source_file_by_digest ON source_file (sha256);
    CREATE INDEX source_file_by_photo ON source_file (photo);
    CREATE INDEX photo_size_by_digest ON photo_size (sha256);
    """

  /// The tables of the ledger of objects (`ObjectLedger`), in a file of their own.
  static let objects = Self(groups: [TableGroup("") { _ in objectTables }], start: [:])

  private static let objectTables = """
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
    """
}
