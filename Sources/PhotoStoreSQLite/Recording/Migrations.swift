import GRDB
import PhotoAttachments

/// Every step by which older catalogs come to what a new one has at once, in order. A released step is
/// never edited; a change is a new step below, and stands in a `Table`.
///
/// Identifiers begin with `photos.` so that other modules can keep tables of their own in the same
/// file with their own migrator.
enum Migrations {
  /// What our identifiers begin with.
  static let prefix = "photos."

  /// Makes the tables of a new catalog.
  ///
  /// - Parameter hasPictures: whether pictures lay in the cache before the catalog was made. Then the
  ///   catalog was lost, and `sweep` must not take them for rubbish.
  static func makeNew(_ db: Database, hasPictures: Bool) throws {
    try db.execute(
      sql: """
        CREATE TABLE store (
          only INTEGER PRIMARY KEY CHECK (only = 1),
          last_ticket INTEGER NOT NULL,
          found_pictures INTEGER NOT NULL
        ) STRICT;
        INSERT INTO store VALUES (1, 0, \(hasPictures));
        \(Table.ofPhotos.map(Dialect.sqlite.creation).joined())
        CREATE INDEX photoBySource ON photo (sourceSHA256);
        CREATE INDEX photoByBlob ON photo (blobSHA256);
        CREATE INDEX photoByPreview ON photo (previewSHA256);
        CREATE INDEX attachment_by_photo ON attachment (photo);
        CREATE INDEX libraryPhotoByHash ON library_photo (perceptual_hash);
        CREATE INDEX source_file_by_inode ON source_file (origin, device, inode);
        CREATE INDEX source_file_by_digest ON source_file (sha256);
        CREATE INDEX source_file_by_photo ON source_file (photo);
        CREATE INDEX photo_size_by_digest ON photo_size (sha256);
        """)
  }

  /// The steps.
  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    // Every catalog that isn't new has it.
    migrator.registerMigration(prefix + "1-attachments") { _ in }
    migrator.registerMigration(prefix + "2-library") { db in
      try db.execute(sql: library)
    }
    migrator.registerMigration(prefix + "3-seals", migrate: addSeals)
    migrator.registerMigration(prefix + "4-forms-and-locks") { db in
      try db.execute(
        sql: """
          ALTER TABLE photo ADD COLUMN form TEXT;
          ALTER TABLE attachment ADD COLUMN ownerLock TEXT;
          CREATE INDEX libraryPhotoByHash ON libraryPhoto (perceptualHash);
          """)
    }
    // Marks of what was erased or forgotten (`ErasureMark`).
    migrator.registerMigration(prefix + "5-erasures") { db in
      try db.execute(
        sql: "CREATE TABLE erasure (mark TEXT NOT NULL PRIMARY KEY) STRICT, WITHOUT ROWID")
    }
    // What other rows of a damaged catalog say is left to those who verify.
    migrator = migrator.disablingDeferredForeignKeyChecks()
    migrator.registerMigration(prefix + "6-one-schema") { db in
      try db.execute(sql: oneSchema)
    }
    migrator.registerMigration(prefix + "7-sizes") { db in
      try db.execute(
        sql: """
          -- Sizes of blobs that were made; `blob` is the digest of what a size was made of. Without
          -- its file (`is_stored`) the digest still answers who has it already.
          CREATE TABLE photo_size (
            photo TEXT NOT NULL REFERENCES photo (id) ON DELETE CASCADE,
            rung INTEGER NOT NULL,
            format TEXT NOT NULL,
            blob TEXT NOT NULL,
            sha256 TEXT NOT NULL,
            size_bytes INTEGER NOT NULL,
            is_stored INTEGER NOT NULL CHECK (is_stored IN (0, 1)),
            used_at INTEGER NOT NULL,
            PRIMARY KEY (photo, rung, format)
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX photo_size_by_digest ON photo_size (sha256);
          """)
    }
    return migrator
  }

  /// The names and columns that every database has.
  private static let oneSchema = """
    PRAGMA ignore_check_constraints = ON;
    ALTER TABLE photoCatalog RENAME TO store;
    ALTER TABLE store RENAME COLUMN lastTicket TO last_ticket;
    ALTER TABLE store RENAME COLUMN foundPictures TO found_pictures;
    ALTER TABLE libraryPhoto RENAME TO library_photo;
    ALTER TABLE library_photo RENAME COLUMN perceptualHash TO perceptual_hash;

    CREATE TABLE source_file (
      origin TEXT NOT NULL,  -- empty: this file is of one machine
      path BLOB NOT NULL,
      device INTEGER NOT NULL,
      inode INTEGER NOT NULL,
      size INTEGER NOT NULL,
      modified INTEGER NOT NULL,
      sha256 TEXT,
      photo TEXT REFERENCES library_photo (photo) ON DELETE CASCADE,
      tier TEXT CHECK (tier IN ('bytes', 'pixels')),
      refusal TEXT,
      PRIMARY KEY (origin, path),
      CHECK ((photo IS NULL) <> (refusal IS NULL)),
      CHECK (tier IS NULL OR photo IS NOT NULL)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO source_file
      SELECT '', path, device, inode, sizeBytes, mtimeNanoseconds, sha256, photo, tier, refusal
      FROM sourceFile;
    DROP TABLE sourceFile;
    CREATE INDEX source_file_by_inode ON source_file (origin, device, inode);
    CREATE INDEX source_file_by_digest ON source_file (sha256);
    CREATE INDEX source_file_by_photo ON source_file (photo);

    ALTER TABLE attachment RENAME TO older_attachment;
    DROP INDEX attachmentByPhoto;
    CREATE TABLE attachment (
      draft TEXT PRIMARY KEY,
      state TEXT NOT NULL CHECK (state IN ('empty', 'loading', 'confirmed')),
      ticket INTEGER,
      photo TEXT REFERENCES photo (id),
      worker TEXT,
      failure TEXT,
      failed_at INTEGER,
      updated_at INTEGER NOT NULL,  -- milliseconds since 1970, as every moment of records
      CHECK (state <> 'empty' OR photo IS NULL),
      CHECK (state <> 'confirmed' OR photo IS NOT NULL),
      CHECK ((state = 'loading') = (ticket IS NOT NULL)),
      CHECK ((state = 'loading') = (worker IS NOT NULL))
    ) STRICT;
    INSERT INTO attachment
      SELECT draft, state, ticket, photo,
        CASE WHEN ownerLock IS NOT NULL THEN ownerLock
          ELSE ownerPid || '-' || ownerStartTicks || '-' || ownerBoot END || '-0',
        failure, failedAtMilliseconds, updatedAtMilliseconds
      FROM older_attachment;
    DROP TABLE older_attachment;
    CREATE INDEX attachment_by_photo ON attachment (photo);
    PRAGMA ignore_check_constraints = OFF
    """

  /// Imported photos, and what is known of each file that an import looked at: one row a path, so
  /// that an unchanged file is known by one look-up.
  private static let library = """
    CREATE TABLE libraryPhoto (
      photo TEXT PRIMARY KEY REFERENCES photo (id),
      perceptualHash INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE sourceFile (
      path BLOB PRIMARY KEY,
      device INTEGER NOT NULL,
      inode INTEGER NOT NULL,
      sizeBytes INTEGER NOT NULL,
      mtimeNanoseconds INTEGER NOT NULL,
      sha256 TEXT,
      photo TEXT REFERENCES libraryPhoto (photo) ON DELETE CASCADE,
      tier TEXT CHECK (tier IN ('bytes', 'pixels')),
      refusal TEXT,
      CHECK ((photo IS NULL) <> (refusal IS NULL)),
      CHECK (tier IS NULL OR photo IS NOT NULL)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX sourceFileByInode ON sourceFile (device, inode);
    CREATE INDEX sourceFileByDigest ON sourceFile (sha256);
    CREATE INDEX sourceFileByPhoto ON sourceFile (photo);
    """

  /// Seals what is on record, as it is.
  private static func addSeals(_ db: Database) throws {
    try db.execute(
      sql: "ALTER TABLE photo ADD COLUMN seal TEXT; ALTER TABLE libraryPhoto ADD COLUMN seal TEXT")
    var last: Int64 = 0
    while true {
      let rows = try Row.fetchAll(
        db, sql: "SELECT * FROM photo WHERE sequence > ? ORDER BY sequence LIMIT 256",
        arguments: [last])
      for row in rows {
        last = row["sequence"]
        let fields = Dictionary(uniqueKeysWithValues: row.map { ($0, FieldValue($1)) })
        try db.cachedStatement(sql: "UPDATE photo SET seal = ? WHERE sequence = ?")
          .execute(arguments: [Seal.photo(fields), last])
      }
      if rows.isEmpty { break }
    }
    for row in try Row.fetchAll(db, sql: "SELECT photo, perceptualHash FROM libraryPhoto") {
      try db.cachedStatement(sql: "UPDATE libraryPhoto SET seal = ? WHERE photo = ?")
        .execute(arguments: [Seal.library(photo: row[0], perceptualHash: row[1]), row[0] as String])
    }
  }

  // MARK: - Objects

  static let objectsPrefix = "objects."

  /// The steps of the ledger of objects (`ObjectLedger`), in a file of its own. Files of before there were
  /// steps have the tables of the first.
  static var objects: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration(objectsPrefix + "1-tables") { db in
      try db.execute(
        sql: """
          CREATE TABLE IF NOT EXISTS store (
            only INTEGER PRIMARY KEY CHECK (only = 1), place TEXT
          ) STRICT;
          CREATE TABLE IF NOT EXISTS writer (
            id TEXT PRIMARY KEY, owner TEXT NOT NULL, isRetired INTEGER NOT NULL DEFAULT 0
          ) STRICT, WITHOUT ROWID;
          CREATE TABLE IF NOT EXISTS object (
            nonce TEXT PRIMARY KEY,
            kind TEXT NOT NULL, sha256 TEXT NOT NULL, format TEXT NOT NULL, size INTEGER NOT NULL,
            state TEXT NOT NULL CHECK (state IN ('named', 'doomed', 'aside')),
            name TEXT CHECK ((name IS NOT NULL) = (state = 'aside'))
          ) STRICT, WITHOUT ROWID;
          CREATE UNIQUE INDEX IF NOT EXISTS objectNamed ON object (kind, sha256, format)
            WHERE state = 'named';
          CREATE INDEX IF NOT EXISTS objectNotNamed ON object (state) WHERE state <> 'named';
          """)
    }
    // The names of PostgreSQL's tables. Versions before this step insert two values into `store`: with a
    // third column they fail before they write an object without a place.
    migrator.registerMigration(objectsPrefix + "2-places") { db in
      try db.execute(
        sql: """
          ALTER TABLE writer RENAME TO object_writer;
          ALTER TABLE object_writer RENAME COLUMN owner TO worker;
          ALTER TABLE object_writer RENAME COLUMN isRetired TO is_retired;
          ALTER TABLE object_writer ADD COLUMN place TEXT NOT NULL DEFAULT '';
          ALTER TABLE object ADD COLUMN place TEXT NOT NULL DEFAULT '';
          UPDATE object_writer SET place = (SELECT place FROM store);
          UPDATE object SET place = (SELECT place FROM store);
          ALTER TABLE store ADD COLUMN isOld INTEGER;
          """)
    }
    return migrator
  }

  /// Whether a newer version of this program has changed the tables whose steps begin with `prefix`.
  static func isSuperseded(
    _ db: Database, by migrator: DatabaseMigrator, prefix: String
  ) throws -> Bool {
    let known = Set(migrator.migrations)
    return try migrator.appliedIdentifiers(db)
      .contains { $0.hasPrefix(prefix) && !known.contains($0) }
  }
}
