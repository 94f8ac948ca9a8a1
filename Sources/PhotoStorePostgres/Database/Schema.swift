import Foundation
import Hashing
import PhotoAttachments
import PhotoIngestion

/// The tables in the schema `petspot`. The first process creates them. If another version of this program created them,
/// tables of a known earlier version are migrated. All others are rejected and left unchanged.
enum Schema {
  /// The change that brought copies and the source of dates. Impossible dates go, as `TakenDate.best(of:now:)` no longer
  /// lets them in.
  private static let places = """
    ALTER TABLE library_photo ADD COLUMN taken_from text COLLATE "C"
      CHECK (taken_from IN ('exif', 'sidecar', 'name'));
    UPDATE library_photo SET taken = NULL
      WHERE taken < '1990' OR substr(taken, 1, 10) > to_char(now() AT TIME ZONE 'UTC' + interval '14 hours', 'YYYY-MM-DD');
    UPDATE library_photo SET taken_from = 'exif' WHERE taken IS NOT NULL;
    DROP INDEX library_photo_by_folder;
    CREATE INDEX library_photo_by_folder ON library_photo (folder, words, taken, taken_from);
    \(Dialect.postgres.creation(of: .libraryCopy))
    CREATE INDEX library_copy_by_folder ON library_copy (folder);

    """

  private static let photos = TableGroup(
    "photos",
    changes: [
      "12bce2387aca0ef3216409ff3936eb8bc8550c18eb81743f68e179884f18dc5f": """
      ALTER TABLE source_file ADD COLUMN fate text CHECK (fate IN ('deleted', 'moved')),
        ADD COLUMN moved_to bytea;
      \(places)
      """, "5e098fea0c5d393e0bf05e04567c4d6057d3ef143507d430b4576df84cb851b7": places,
      "e6769e88df0b9af3b78fa67484e85242d397f3f8429ded4b248b7e55ec0fcfa7": places,
      "657624819ba78038a0503ef56cd986c8d028b235a019071345d2017e39be5301": places,
    ]
  ) { _ in tables + uploads + runs }

  /// Creates missing tables, and migrates those of an earlier version.
  ///
  /// - Parameters:
  ///   - groups: the tables besides those of photos.
  ///   - hasPictures: `true` if the storage had pictures before the tables were created. The catalog was lost then, and
  ///     `sweep` must not delete the pictures.
  /// - Throws: `StoreError.database(.otherVersion)` if an unknown version of this program created the tables.
  static func prepare(
    _ pool: PostgresPool, _ groups: [TableGroup], hasPictures: Bool
  ) throws(StoreError) {
    let groups = [photos] + groups
    do {
      try pool.lend { connection in
        if try versions(connection, pool, groups).missing.isEmpty { return }
        // The lock is held until the transaction ends. Processes that wait for it then find nothing left to do.
        try connection.execute(
          """
          BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL statement_timeout = 0;
          SELECT pg_advisory_xact_lock(1346720848, 1)
          """)
        do {
          let versions = try versions(connection, pool, groups)
          if versions.isNew {
            try make(versions, connection, pool, hasPictures: hasPictures)
          } else if !versions.missing.isEmpty {
            try connection.execute(versions.missing)
            _ = try connection.execute(
              "UPDATE store SET schema = $1", [.text(versions.text)], isRepeated: false)
          }
          try connection.execute("COMMIT")
        } catch {
          _ = try? connection.execute("ROLLBACK")
          throw error
        }
      }
    } catch {
      throw pool.mapped(error)
    }
  }

  private static func make(
    _ versions: SchemaVersions, _ connection: PostgresConnection, _ pool: PostgresPool,
    hasPictures: Bool
  ) throws {
    let encoding = try connection.execute("SHOW server_encoding").first?.text(0)
    guard encoding == "UTF8", connection.serverVersion >= 140_000 else {
      throw StoreError.database(
        .failed,
        detail: "PostgreSQL at \(pool.address.shown): PetSpot needs version 14 or later and a "
          + "database in UTF8")
    }
    if try connection.execute("SELECT 1 FROM pg_namespace WHERE nspname = 'petspot'").isEmpty {
      try connection.execute("CREATE SCHEMA petspot")
    }
    try connection.execute(versions.missing)
    _ = try connection.execute(
      "INSERT INTO store (schema, found_pictures, secret, id) VALUES ($1, $2, $3, $4)",
      [
        .text(versions.text), .text("\(hasPictures)"), .data(Data(randomBytes(32))),
        .text(UUID().uuidString),
      ], isRepeated: false)
  }

  /// Compares the database's tables with these.
  private static func versions(
    _ connection: PostgresConnection, _ pool: PostgresPool, _ groups: [TableGroup]
  ) throws -> SchemaVersions {
    // Queries the catalog tables because `to_regclass` may cache a negative result from before the lock was acquired.
    let columns = try connection.execute(
      """
      SELECT attrelid::regclass::text || '.' || attname FROM pg_attribute
      JOIN pg_class ON pg_class.oid = attrelid
      JOIN pg_namespace ON pg_namespace.oid = relnamespace
      WHERE nspname = 'petspot' AND relkind = 'r'
      """
    ).compactMap { $0.text(0) }
    var found = columns.isEmpty ? nil : ""
    if columns.contains("store.schema") {
      found = try connection.execute("SELECT schema FROM store").first?.text(0) ?? ""
    }
    if let versions = SchemaVersions(recorded: found, groups: groups, .postgres) { return versions }
    throw StoreError.database(.otherVersion, detail: "PostgreSQL at \(pool.address.shown)")
  }

  /// The tables that every database has, and those of PostgreSQL only.
  private static let tables = """
    CREATE TABLE store (
      single boolean PRIMARY KEY DEFAULT true CHECK (single),
      schema text NOT NULL,
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

    \(Table.ofPhotos.map(Dialect.postgres.creation).joined())
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
    CREATE INDEX library_photo_by_folder ON library_photo (folder, words, taken, taken_from);
    CREATE INDEX library_copy_by_folder ON library_copy (folder);
    CREATE INDEX library_photo_by_day ON library_photo (taken);
    CREATE INDEX source_file_by_inode ON source_file (origin, device, inode);
    CREATE INDEX source_file_by_digest ON source_file (sha256);
    CREATE INDEX source_file_by_photo ON source_file (photo);
    CREATE INDEX photo_size_by_digest ON photo_size (sha256);
    -- Bytes of a size that nothing is known of need not be asked for.
    CREATE INDEX source_file_by_size ON source_file (size);
    CREATE INDEX photo_by_size ON photo ("fileSizeBytes");

    -- What `ObjectLedger` knows, by the place of the store.
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
    CREATE INDEX object_not_named ON object (place, state) WHERE state <> 'named';

    -- For a process that lost the answer to a COMMIT: what each connection committed last.
    CREATE TABLE last_commit (
      connection bigint PRIMARY KEY,
      mark bigint NOT NULL,
      at timestamptz NOT NULL
    ) WITH (fillfactor = 50);
    """
}
