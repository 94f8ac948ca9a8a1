import Foundation
import GRDB
import Hashing
import Logging
package import PhotoAttachments
import ReportFlow
import Synchronization

/// The tables of drafts and announcements. They are made by the first act that needs them: a cache that
/// only keeps photos has none.
extension SQLiteCatalog {
  package func hasReports(making: Bool) throws(StoreError) -> Bool {
    if reportsAreReady.load(ordering: .acquiring) { return true }
    guard making else { return try read { try $0.tableExists("report_draft") } }
    return try preparing.withLock { _ throws(StoreError) in
      if reportsAreReady.load(ordering: .acquiring) { return true }
      try migrate(Self.migrator, prefix: Self.prefix, makeNew: Self.makeNew)
      // Names and phone numbers that are deleted are to be gone from the file as well.
      do {
        try queue.inDatabase { try $0.execute(sql: "PRAGMA secure_delete = ON") }
      } catch {
        throw mapped(error)
      }
      reportsAreReady.store(true, ordering: .releasing)
      return true
    }
  }

  /// Rewrites the file without its free pages: an older program left what it deleted in them. Where
  /// that cannot be done now, what is deleted from now on is overwritten all the same.
  package func forgetFreePages() async {
    do {
      try await queue.writeWithoutTransaction {
        // In memory: nothing outside the cache folder is written.
        try $0.execute(sql: "PRAGMA temp_store = MEMORY; VACUUM")
      }
    } catch {
      logger.notice("catalog not rewritten", metadata: ["error": "\(error)"])
    }
  }

  private static let prefix = "report."

  private static func makeNew(_ db: Database) throws {
    try db.execute(
      sql: """
        \(Table.ofReports.map(Dialect.sqlite.creation).joined())
        ALTER TABLE report_draft ADD COLUMN text_bytes INTEGER
          GENERATED ALWAYS AS (length(CAST(content AS BLOB))) VIRTUAL;
        CREATE INDEX report_draft_by_client ON report_draft (client, id, text_bytes)
          WHERE client IS NOT NULL;
        CREATE INDEX report_draft_by_key ON report_draft (submission_key);
        CREATE INDEX report_draft_by_announcement ON report_draft (announcement_id);
        CREATE INDEX creating_client_by_age ON creating_client (created_at);
        CREATE INDEX client_tries_by_age ON client_tries (full_at);
        CREATE INDEX announcement_photo ON announcement (photo_id) WHERE photo_id IS NOT NULL;
        \(listed)
        -- A photo outlives its draft while an announcement shows it: the photos' own clean-up finds
        -- nothing to delete then, and leaves the picture alone.
        CREATE TRIGGER announcement_keeps_photo BEFORE DELETE ON photo
        WHEN EXISTS (SELECT 1 FROM announcement WHERE photo_id = OLD.id)
        BEGIN SELECT RAISE(IGNORE); END;
        \(photoDigestFollows)
        """)
    try addSecret(db)
  }

  private static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    // Every database of reports that isn't new has it.
    migrator.registerMigration(prefix + "1-drafts-and-announcements") { _ in }
    migrator.registerMigration(prefix + "2-revisions-and-clients") { database in
      try database.execute(sql: revisionsAndClients)
    }
    migrator.registerMigration(prefix + "photo-digest-follows") { database in
      try database.execute(sql: photoDigestFollows)
    }
    migrator.registerMigration(prefix + "3-fingerprints-and-secret") { database in
      try database.execute(
        sql: "ALTER TABLE announcement ADD COLUMN fingerprint TEXT")  // NULL in those made before
      try addSecret(database)
    }
    migrator.registerMigration(prefix + "4-creating-clients") { database in
      try database.execute(sql: creatingClients)
    }
    migrator.registerMigration(prefix + "5-hidden") { database in
      try database.execute(sql: hidden)
    }
    migrator.registerMigration(prefix + "6-client-tries") { database in
      try database.execute(
        sql: """
          CREATE TABLE client_tries (
            client TEXT NOT NULL PRIMARY KEY,
            full_at INTEGER NOT NULL  -- when all shared tries are back
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX client_tries_by_age ON client_tries (full_at);
          """)
    }
    migrator.registerMigration(prefix + "7-clients-of-drafts") { database in
      try database.execute(
        sql: """
          ALTER TABLE report_draft ADD COLUMN client TEXT;  -- NULL in those of this machine
          ALTER TABLE report_draft ADD COLUMN text_bytes INTEGER
            GENERATED ALWAYS AS (length(CAST(content AS BLOB))) VIRTUAL;
          CREATE INDEX report_draft_by_client ON report_draft (client, id, text_bytes)
            WHERE client IS NOT NULL;
          """)
    }
    migrator.registerMigration(prefix + "8-marks", migrate: addMarks)
    for step in Table.stepsOfReports {
      migrator.registerMigration(prefix + step.sqlite) { try $0.execute(sql: step.sql) }
    }
    return migrator
  }

  /// What `DraftMarks` finds in the content.
  private static func addMarks(_ db: Database) throws {
    try db.execute(
      sql: """
        ALTER TABLE report_draft ADD COLUMN submission_key TEXT;
        ALTER TABLE report_draft ADD COLUMN announcement_id TEXT;
        ALTER TABLE report_draft ADD COLUMN is_submitted INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX report_draft_by_key ON report_draft (submission_key);
        CREATE INDEX report_draft_by_announcement ON report_draft (announcement_id)
        """)
    for row in try Row.fetchAll(db, sql: "SELECT id, content FROM report_draft") {
      let marks = DraftMarks(of: row[1])
      try db.execute(
        sql: """
          UPDATE report_draft SET submission_key = ?, announcement_id = ?, is_submitted = ?
          WHERE id = ?
          """,
        arguments: [
          marks.submissionKey, marks.announcementID, marks.isSubmitted, row[0] as String,
        ])
    }
  }

  /// An announcement is listed once it has its photo.
  private static let listed = """
    CREATE INDEX announcement_listed_by_age ON announcement (created_at, number)
      WHERE closed_at IS NULL AND photo_id IS NOT NULL;
    CREATE INDEX announcement_listed_by_cell
      ON announcement (cell, created_at, latitude, longitude, closed_at, photo_id)
      WHERE closed_at IS NULL AND photo_id IS NOT NULL AND cell IS NOT NULL;
    CREATE INDEX announcement_listed_without_place ON announcement (created_at, number)
      WHERE closed_at IS NULL AND photo_id IS NOT NULL AND cell IS NULL;
    CREATE INDEX announcement_listed_by_chip ON announcement (microchip_number)
      WHERE closed_at IS NULL AND photo_id IS NOT NULL AND microchip_number IS NOT NULL;
    """

  /// An announcement is listed once it has its photo; wrong passwords are counted by announcement
  /// and client.
  private static let revisionsAndClients = """
    ALTER TABLE report_draft ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE announcement DROP COLUMN wrong_passwords;
    ALTER TABLE announcement DROP COLUMN locked_until;
    CREATE TABLE wrong_password (
      announcement TEXT NOT NULL REFERENCES announcement (id) ON DELETE CASCADE,
      client TEXT NOT NULL,
      tries INTEGER NOT NULL,
      tried_at INTEGER NOT NULL,
      locked_until INTEGER,
      PRIMARY KEY (announcement, client)
    ) STRICT, WITHOUT ROWID;
    DROP INDEX announcement_open_by_age;
    DROP INDEX announcement_open_by_cell;
    DROP INDEX announcement_open_without_place;
    \(listed)
    """

  /// An announcement that an operator took down is closed as long as it has a reason; `owner_closed_at`
  /// is what becomes of `closed_at` then.
  private static let hidden = """
    ALTER TABLE announcement ADD COLUMN hidden_reason TEXT;
    ALTER TABLE announcement ADD COLUMN owner_closed_at INTEGER;
    """

  /// What the passwords of those who decide none follow from.
  private static func addSecret(_ db: Database) throws {
    try db.execute(
      sql: """
        CREATE TABLE server_secret (
          number INTEGER PRIMARY KEY CHECK (number = 1),
          secret BLOB NOT NULL CHECK (length(secret) = 32)
        ) STRICT;
        CREATE INDEX wrong_password_by_age ON wrong_password (tried_at);
        """)
    try db.execute(
      sql: "INSERT INTO server_secret (secret) VALUES (?)", arguments: [Data(randomBytes(32))])
  }

  /// A repair may give a photo other bytes; announcements that show the photo show those.
  private static let photoDigestFollows = """
    CREATE TRIGGER announcement_follows_photo AFTER UPDATE OF blobSHA256 ON photo
    WHEN OLD.blobSHA256 <> NEW.blobSHA256
    BEGIN
      UPDATE announcement SET photo_sha256 = NEW.blobSHA256 WHERE photo_id = NEW.id;
    END;
    """

  /// Which client may repeat a create, for a day.
  private static let creatingClients = """
    CREATE TABLE creating_client (
      idempotency_key TEXT NOT NULL PRIMARY KEY
        REFERENCES announcement (idempotency_key) ON DELETE CASCADE,
      network TEXT NOT NULL,
      browser TEXT,
      created_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX creating_client_by_age ON creating_client (created_at);
    """
}
