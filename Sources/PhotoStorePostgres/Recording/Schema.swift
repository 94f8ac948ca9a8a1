import Foundation
import Hashing
import PhotoAttachments
import ReportFlow

/// Our tables, in a schema of their own that is called `petspot`: made, and brought up to date, by
/// the process that comes first.
enum Schema {
  /// Every step by which older databases come to what a new one has at once, in order. A released step is
  /// never edited; a change is a new step at the end, and stands in `new` or a `Table`. Every database that
  /// isn't new has the first four.
  static let steps: [(id: String, sql: String)] =
    ["1-photos", "2-reports", "3-objects", "4-runs"].map { ($0, "") } + [
      ("5-commits", commits), ("6-uploads", uploads), ("7-sizes", sizes),
      ("8-creating-clients", creatingClients), ("9-hidden", hidden),
      ("10-open-uploads", openUploads), ("11-client-tries", clientTries),
      ("12-clients-of-drafts", clientsOfDrafts), ("13-erasures", erasures),
      ("15-photo-sizes", photoSizes),
    ] + Table.stepsOfReports.map { ($0.postgres, $0.sql) }

  /// Brings the tables up to date.
  ///
  /// - Parameter hasPictures: whether pictures lay in the storage before the tables were made. Then
  ///   the catalog was lost, and `sweep` must not take them for rubbish.
  /// - Throws: `StoreError.database("newer-version")` when a newer version of this program has changed them.
  static func prepare(_ pool: PostgresPool, hasPictures: Bool) throws(StoreError) {
    do {
      try pool.lend { connection in
        if try isDone(connection, pool) { return }
        // Held to the end of the transaction: others wait and find nothing left to do. An index of a
        // large table takes long.
        try connection.run(
          """
          BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL statement_timeout = 0;
          SELECT pg_advisory_xact_lock(1346720848, 1)
          """)
        do {
          try makeMissing(connection, pool, hasPictures: hasPictures)
          try connection.run("COMMIT")
        } catch {
          _ = try? connection.run("ROLLBACK")
          throw error
        }
      }
    } catch {
      throw pool.mapped(error)
    }
  }

  private static func makeMissing(
    _ connection: PostgresConnection, _ pool: PostgresPool, hasPictures: Bool
  ) throws {
    if try isDone(connection, pool) { return }
    let encoding = try connection.run("SHOW server_encoding").first?.text(0)
    guard encoding == "UTF8", connection.serverVersion >= 140_000 else {
      throw StoreError.database(
        what: "failed",
        detail: "PostgreSQL at \(pool.address.shown): PetSpot needs version 14 or later and a "
          + "database in UTF8")
    }
    let done = try applied(connection)
    if done.isEmpty {
      if try connection.run("SELECT 1 FROM pg_namespace WHERE nspname = 'petspot'").isEmpty {
        try connection.run("CREATE SCHEMA petspot")
      }
      try connection.run(
        "CREATE TABLE step (id text PRIMARY KEY, at timestamptz NOT NULL DEFAULT now())")
      for sql in [new, objects, runs, commits, uploads, openUploads] { try connection.run(sql) }
      _ = try connection.run(
        "INSERT INTO store (found_pictures, secret, id) VALUES ($1, $2, $3)",
        [.text("\(hasPictures)"), .data(Data(randomBytes(32))), .text(UUID().uuidString)],
        isRepeated: false)
    }
    for step in steps where !done.contains(step.id) {
      if !done.isEmpty { try connection.run(step.sql) }
      _ = try connection.run(
        "INSERT INTO step (id) VALUES ($1)", [.text(step.id)], isRepeated: false)
    }
  }

  private static func isDone(
    _ connection: PostgresConnection, _ pool: PostgresPool
  ) throws -> Bool {
    let (done, known) = (try applied(connection), Set(steps.map(\.id)))
    guard done.isSubset(of: known) else {
      throw StoreError.database(
        what: "newer-version", detail: "PostgreSQL at \(pool.address.shown)")
    }
    return done == known
  }

  private static func applied(_ connection: PostgresConnection) throws -> Set<String> {
    // Read from the table itself: what `to_regclass` found missing before we waited for a lock, it may
    // remember as missing.
    let isThere = "SELECT 1 FROM pg_tables WHERE schemaname = 'petspot' AND tablename = 'step'"
    if try connection.run(isThere).isEmpty { return [] }
    return Set(try connection.run("SELECT id FROM petspot.step").compactMap { $0.text(0) })
  }

  // MARK: - A new database

  /// The tables of every database, and what only this one has.
  private static let new = """
    CREATE TABLE store (
      single boolean PRIMARY KEY DEFAULT true CHECK (single),
      id text NOT NULL,
      found_pictures boolean NOT NULL,
      secret bytea NOT NULL CHECK (length(secret) = 32)
    );

    -- A picture that is recorded, or being recorded or deleted: the process that does holds its row.
    CREATE TABLE stored_blob (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      kind text NOT NULL CHECK (kind IN ('blobs', 'previews', 'sizes')),
      sha256 text COLLATE "C" NOT NULL,
      format text NOT NULL,
      held_at timestamptz NOT NULL DEFAULT now(),
      UNIQUE (kind, sha256, format)
    );

    CREATE SEQUENCE ticket;
    -- Processes that work on attempts. Only this server's clock decides whether they live.
    CREATE TABLE worker (
      id text PRIMARY KEY,
      host text NOT NULL,
      seen_at timestamptz NOT NULL
    );

    \((Table.ofPhotos + Table.ofReports).map(Dialect.postgres.creation).joined())
    ALTER TABLE photo ADD COLUMN stored_blob bigint REFERENCES stored_blob (id),
      ADD COLUMN stored_preview bigint REFERENCES stored_blob (id);
    CREATE INDEX photo_by_source ON photo ("sourceSHA256");
    CREATE INDEX photo_by_blob ON photo ("blobSHA256");
    CREATE INDEX photo_by_preview ON photo ("previewSHA256");
    CREATE INDEX photo_by_asset ON photo ("assetIdentifier") WHERE "assetIdentifier" IS NOT NULL;
    CREATE INDEX photo_by_stored_blob ON photo (stored_blob);
    CREATE INDEX photo_by_stored_preview ON photo (stored_preview);
    CREATE INDEX attachment_by_photo ON attachment (photo);
    CREATE INDEX attachment_loading ON attachment (draft) WHERE state = 'loading';
    CREATE INDEX attachment_by_age ON attachment (updated_at);
    CREATE INDEX library_photo_by_hash ON library_photo (perceptual_hash);
    CREATE INDEX source_file_by_inode ON source_file (origin, device, inode);
    CREATE INDEX source_file_by_digest ON source_file (sha256);
    CREATE INDEX source_file_by_photo ON source_file (photo);
    CREATE INDEX photo_size_by_digest ON photo_size (sha256);
    \(sizes);

    ALTER TABLE announcement ALTER COLUMN fingerprint SET NOT NULL;
    ALTER TABLE client_tries SET (fillfactor = 70);
    ALTER TABLE report_draft
      ADD COLUMN text_bytes bigint GENERATED ALWAYS AS (octet_length(content)) STORED;
    CREATE INDEX report_draft_by_client ON report_draft (client, id, text_bytes)
      WHERE client IS NOT NULL;
    CREATE INDEX creating_client_by_age ON creating_client (created_at);
    CREATE INDEX client_tries_by_age ON client_tries (full_at);
    CREATE INDEX report_draft_by_age ON report_draft (updated_at, id);
    CREATE INDEX report_draft_by_key ON report_draft (submission_key);
    CREATE INDEX report_draft_by_announcement ON report_draft (announcement_id);
    CREATE INDEX announcement_by_age ON announcement (created_at, number)
      WHERE closed_at IS NULL AND photo_id IS NOT NULL;
    CREATE INDEX announcement_by_cell ON announcement (cell)
      WHERE closed_at IS NULL AND photo_id IS NOT NULL AND cell IS NOT NULL;
    CREATE INDEX announcement_without_place ON announcement (created_at, number)
      WHERE closed_at IS NULL AND photo_id IS NOT NULL AND cell IS NULL;
    CREATE INDEX announcement_by_chip ON announcement (microchip_number)
      WHERE closed_at IS NULL AND photo_id IS NOT NULL AND microchip_number IS NOT NULL;
    CREATE INDEX announcement_by_photo ON announcement (photo_id) WHERE photo_id IS NOT NULL;
    CREATE INDEX wrong_password_by_age ON wrong_password (tried_at);

    -- A repair may give a photo other bytes; every row that shows the photo shows those.
    CREATE FUNCTION follow_photo() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      UPDATE petspot.announcement SET photo_sha256 = NEW."blobSHA256" WHERE photo_id = NEW."id";
      RETURN NULL;
    END $$;
    CREATE TRIGGER announcement_follows_photo AFTER UPDATE OF "blobSHA256" ON photo
    FOR EACH ROW WHEN (OLD."blobSHA256" <> NEW."blobSHA256") EXECUTE FUNCTION follow_photo()
    """

  /// What `ObjectLedger` knows, by the place of the store.
  private static let objects = """
    -- `worker` is the process: while that lives, so does its writer, unless it is retired.
    CREATE TABLE object_writer (
      id text COLLATE "C" PRIMARY KEY,
      place text COLLATE "C" NOT NULL,
      worker text NOT NULL,
      is_retired boolean NOT NULL DEFAULT false
    );
    CREATE TABLE object (
      place text COLLATE "C" NOT NULL,
      nonce text COLLATE "C" NOT NULL,
      kind text NOT NULL CHECK (kind IN ('blobs', 'previews', 'sizes')),
      sha256 text COLLATE "C" NOT NULL,
      format text NOT NULL,
      size bigint NOT NULL,
      state text NOT NULL CHECK (state IN ('named', 'doomed', 'aside')),
      name text CHECK ((name IS NOT NULL) = (state = 'aside')),
      PRIMARY KEY (place, nonce)
    );
    CREATE UNIQUE INDEX object_named ON object (place, kind, sha256, format)
      WHERE state = 'named';
    CREATE INDEX object_not_named ON object (place, state) WHERE state <> 'named'
    """

  // MARK: - Steps

  /// For a process that lost the answer to a COMMIT: what each connection committed last.
  private static let commits = """
    CREATE TABLE last_commit (
      connection bigint PRIMARY KEY,
      mark bigint NOT NULL,
      at timestamptz NOT NULL
    ) WITH (fillfactor = 50)
    """

  /// An announcement that an operator took down is closed as long as it has a reason; `owner_closed_at`
  /// is what becomes of `closed_at` then.
  private static let hidden = """
    ALTER TABLE announcement ADD COLUMN hidden_reason text, ADD COLUMN owner_closed_at bigint
    """

  /// Bytes of a size that nothing is known of need not be asked for.
  private static let sizes = """
    CREATE INDEX source_file_by_size ON source_file (size);
    CREATE INDEX photo_by_size ON photo ("fileSizeBytes")
    """

  /// Marks of what was erased or forgotten (`ErasureMark`).
  private static let erasures = """
    CREATE TABLE erasure (mark text COLLATE "C" PRIMARY KEY)
    """

  /// Sizes of blobs that were made; `blob` is the digest of what a size was made of. Without its file
  /// (`is_stored`) the digest still answers clients that have it already.
  private static let photoSizes = """
    CREATE TABLE photo_size (
      photo text COLLATE "C" NOT NULL REFERENCES photo ("id") ON DELETE CASCADE,
      rung bigint NOT NULL,
      format text NOT NULL,
      blob text NOT NULL,
      sha256 text COLLATE "C" NOT NULL,
      size_bytes bigint NOT NULL,
      is_stored bigint NOT NULL CHECK (is_stored IN (0, 1)),
      used_at bigint NOT NULL,
      PRIMARY KEY (photo, rung, format)
    );
    CREATE INDEX photo_size_by_digest ON photo_size (sha256);
    ALTER TABLE stored_blob DROP CONSTRAINT stored_blob_kind_check,
      ADD CONSTRAINT stored_blob_kind_check CHECK (kind IN ('blobs', 'previews', 'sizes'));
    ALTER TABLE object DROP CONSTRAINT object_kind_check,
      ADD CONSTRAINT object_kind_check CHECK (kind IN ('blobs', 'previews', 'sizes'))
    """

  /// Which client may repeat a create, for a day.
  private static let creatingClients = """
    CREATE TABLE creating_client (
      idempotency_key text PRIMARY KEY
        REFERENCES announcement (idempotency_key) ON DELETE CASCADE,
      network text NOT NULL,
      browser text,
      created_at bigint NOT NULL
    );
    CREATE INDEX creating_client_by_age ON creating_client (created_at)
    """

  /// Web drafts have a client, those of the command line have none.
  private static let clientsOfDrafts = """
    ALTER TABLE report_draft ADD COLUMN client text COLLATE "C",
      ADD COLUMN text_bytes bigint GENERATED ALWAYS AS (octet_length(content)) STORED;
    CREATE INDEX report_draft_by_client ON report_draft (client, id, text_bytes)
      WHERE client IS NOT NULL
    """

  /// When all of a client's shared tries are back, see `ClientTries`.
  private static let clientTries = """
    CREATE TABLE client_tries (
      client text PRIMARY KEY,
      full_at bigint NOT NULL
    ) WITH (fillfactor = 70);
    CREATE INDEX client_tries_by_age ON client_tries (full_at)
    """
}
