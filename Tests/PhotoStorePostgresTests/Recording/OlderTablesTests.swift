import PhotoAttachments
import ReportFlow
import TestPostgres
import TestStores
import Testing

@testable import PhotoStorePostgres

/// Tables as the first version made them, in its first four steps.
@Suite(.enabled(if: TestServer.shared != nil, Comment(rawValue: TestServer.absence)))
struct OlderTablesTests {
  @Test("They come to what new ones are, and those are as they are listed")
  func theyAreThoseOfANewDatabase() throws {
    let (older, new) = (try TestDatabase(), try TestDatabase())
    try older.sql(Self.tables)
    let (before, made) = (try described(older), try described(new))
    #expect(before == made, "\(before.symmetricDifference(made).sorted())")
    for table in Table.ofPhotos + Table.ofReports {
      let columns = made.filter { $0.hasPrefix(table.name + ".") }.map {
        $0.dropFirst(table.name.count + 1).prefix { $0 != " " }
      }
      let own: Set = ["text_bytes", "stored_blob", "stored_preview"]
      #expect(Set(table.names()) == Set(columns.map(String.init)).subtracting(own))
    }
  }

  private func described(_ database: TestDatabase) throws -> Set<String> {
    try database.open().close()
    let lines = try database.sql(
      """
      SELECT concat(table_name, '.', column_name, ' ', data_type, is_nullable, collation_name)
        FROM information_schema.columns WHERE table_schema = 'petspot'
      UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'petspot'
      UNION ALL SELECT concat(conrelid::regclass, ' ', pg_get_constraintdef(oid)) FROM pg_constraint
        WHERE connamespace = 'petspot'::regnamespace
      UNION ALL SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
      UNION ALL SELECT id FROM step
      """)
    return Set(lines.split(separator: "\n").map(String.init))
  }

  private static let tables = #"""
    CREATE SCHEMA petspot;
    CREATE TABLE step (id text PRIMARY KEY, at timestamptz NOT NULL DEFAULT now());
    INSERT INTO step (id) VALUES ('1-photos'), ('2-reports'), ('3-objects'), ('4-runs');
    CREATE TABLE store (
      single boolean PRIMARY KEY DEFAULT true CHECK (single),
      id text NOT NULL,
      found_pictures boolean NOT NULL,
      secret bytea NOT NULL CHECK (length(secret) = 32)
    );

    -- A picture that is recorded, or being recorded or deleted: the process that does holds its row.
    CREATE TABLE stored_blob (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      kind text NOT NULL CHECK (kind IN ('blobs', 'previews')),
      sha256 text COLLATE "C" NOT NULL,
      format text NOT NULL,
      held_at timestamptz NOT NULL DEFAULT now(),
      UNIQUE (kind, sha256, format)
    );

    CREATE TABLE photo (
      sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      "id" text COLLATE "C" NOT NULL UNIQUE,
      "fileName" text NOT NULL,
      "fileSizeBytes" bigint NOT NULL CHECK ("fileSizeBytes" > 0),
      "uti" text NOT NULL,
      "pixelWidth" bigint NOT NULL CHECK ("pixelWidth" > 0),
      "pixelHeight" bigint NOT NULL CHECK ("pixelHeight" > 0),
      "assetIdentifier" text,
      "savedAtMilliseconds" bigint NOT NULL,
      "sourceSHA256" text NOT NULL,
      "sourceOrientation" bigint NOT NULL,
      "sourceFrameCount" bigint NOT NULL,
      "sourceHasAlpha" bigint NOT NULL,
      "sourceColorProfile" text,
      "sourceCapturedAt" text,
      "sourceHasLocation" bigint NOT NULL,
      "blobSHA256" text NOT NULL,
      "blobFormat" text NOT NULL,
      "blobSizeBytes" bigint NOT NULL CHECK ("blobSizeBytes" > 0),
      "blobWidth" bigint NOT NULL,
      "blobHeight" bigint NOT NULL,
      "blobFrameCount" bigint NOT NULL,
      "previewSHA256" text NOT NULL,
      "previewFormat" text NOT NULL,
      "previewSizeBytes" bigint NOT NULL CHECK ("previewSizeBytes" > 0),
      "previewWidth" bigint NOT NULL,
      "previewHeight" bigint NOT NULL,
      "previewFrameCount" bigint NOT NULL,
      "normalizationMethod" text NOT NULL,
      "normalizationReasons" text NOT NULL,
      "normalizationLosses" text NOT NULL,
      "normalizationRepairs" text NOT NULL,
      "normalizationRemoved" text NOT NULL,
      "form" text,
      "seal" text,
      stored_blob bigint REFERENCES stored_blob (id),
      stored_preview bigint REFERENCES stored_blob (id)
    );
    CREATE INDEX photo_by_source ON photo ("sourceSHA256");
    CREATE INDEX photo_by_blob ON photo ("blobSHA256");
    CREATE INDEX photo_by_preview ON photo ("previewSHA256");
    CREATE INDEX photo_by_asset ON photo ("assetIdentifier") WHERE "assetIdentifier" IS NOT NULL;
    CREATE INDEX photo_by_stored_blob ON photo (stored_blob);
    CREATE INDEX photo_by_stored_preview ON photo (stored_preview);

    CREATE SEQUENCE ticket;
    -- Processes that work on attempts. Only this server's clock decides whether they live.
    CREATE TABLE worker (
      id text PRIMARY KEY,
      host text NOT NULL,
      seen_at timestamptz NOT NULL
    );
    CREATE TABLE attachment (
      draft text COLLATE "C" PRIMARY KEY,
      state text NOT NULL CHECK (state IN ('empty', 'loading', 'confirmed')),
      ticket bigint,
      photo text COLLATE "C" REFERENCES photo ("id"),
      worker text,
      failure text,
      failed_at bigint,
      updated_at bigint NOT NULL,  -- milliseconds since 1970, as every moment of records
      CHECK (state <> 'empty' OR photo IS NULL),
      CHECK (state <> 'confirmed' OR photo IS NOT NULL),
      CHECK ((state = 'loading') = (ticket IS NOT NULL)),
      CHECK ((state = 'loading') = (worker IS NOT NULL))
    );
    CREATE INDEX attachment_by_photo ON attachment (photo);
    CREATE INDEX attachment_loading ON attachment (draft) WHERE state = 'loading';
    CREATE INDEX attachment_by_age ON attachment (updated_at);

    CREATE TABLE library_photo (
      photo text COLLATE "C" PRIMARY KEY REFERENCES photo ("id"),
      perceptual_hash bigint NOT NULL,
      seal text
    );
    CREATE INDEX library_photo_by_hash ON library_photo (perceptual_hash);

    -- What is known of a file that an import looked at, by the machine that it lies on.
    CREATE TABLE source_file (
      origin text COLLATE "C" NOT NULL,
      path bytea NOT NULL,
      device bigint NOT NULL,
      inode bigint NOT NULL,
      size bigint NOT NULL,
      modified bigint NOT NULL,
      sha256 text,
      photo text COLLATE "C" REFERENCES library_photo (photo) ON DELETE CASCADE,
      tier text CHECK (tier IN ('bytes', 'pixels')),
      refusal text,
      PRIMARY KEY (origin, path),
      CHECK ((photo IS NULL) <> (refusal IS NULL)),
      CHECK (tier IS NULL OR photo IS NOT NULL)
    );
    CREATE INDEX source_file_by_inode ON source_file (origin, device, inode);
    CREATE INDEX source_file_by_digest ON source_file (sha256);
    CREATE INDEX source_file_by_photo ON source_file (photo);

    CREATE TABLE report_draft (
      id text COLLATE "C" PRIMARY KEY,
      content text NOT NULL,
      updated_at bigint NOT NULL,
      revision bigint NOT NULL,
      -- What `DraftMarks` finds in the content.
      submission_key text,
      announcement_id text,
      is_submitted boolean NOT NULL
    );
    CREATE INDEX report_draft_by_age ON report_draft (updated_at, id);
    CREATE INDEX report_draft_by_key ON report_draft (submission_key);
    CREATE INDEX report_draft_by_announcement ON report_draft (announcement_id);

    CREATE TABLE announcement (
      number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      id text NOT NULL UNIQUE,
      idempotency_key text NOT NULL UNIQUE,
      fingerprint text NOT NULL,
      pet_name text, species text NOT NULL, breed text, sex text, age bigint,
      status text NOT NULL,
      photo_id text COLLATE "C" REFERENCES photo ("id"), photo_sha256 text,
      latitude double precision, longitude double precision, address text,
      cell bigint,  -- of the place: the bits of longitude and latitude in turns
      description text, contact_name text NOT NULL, contact_phone text NOT NULL,
      email text, reward text, microchip_number text, disappeared_on text,
      created_at bigint NOT NULL, updated_at bigint NOT NULL, closed_at bigint,
      password_hash text NOT NULL
    );
    CREATE INDEX announcement_by_age ON announcement (created_at, number)
      WHERE closed_at IS NULL AND photo_id IS NOT NULL;
    CREATE INDEX announcement_by_cell ON announcement (cell)
      WHERE closed_at IS NULL AND photo_id IS NOT NULL AND cell IS NOT NULL;
    CREATE INDEX announcement_without_place ON announcement (created_at, number)
      WHERE closed_at IS NULL AND photo_id IS NOT NULL AND cell IS NULL;
    CREATE INDEX announcement_by_chip ON announcement (microchip_number)
      WHERE closed_at IS NULL AND photo_id IS NOT NULL AND microchip_number IS NOT NULL;
    CREATE INDEX announcement_by_photo ON announcement (photo_id) WHERE photo_id IS NOT NULL;

    CREATE TABLE wrong_password (
      announcement text NOT NULL REFERENCES announcement (id) ON DELETE CASCADE,
      client text NOT NULL,
      tries bigint NOT NULL,
      tried_at bigint NOT NULL,
      locked_until bigint,
      PRIMARY KEY (announcement, client)
    );
    CREATE INDEX wrong_password_by_age ON wrong_password (tried_at);

    -- A repair may give a photo other bytes; every row that shows the photo shows those.
    CREATE FUNCTION follow_photo() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      UPDATE petspot.announcement SET photo_sha256 = NEW."blobSHA256" WHERE photo_id = NEW."id";
      RETURN NULL;
    END $$;
    CREATE TRIGGER announcement_follows_photo AFTER UPDATE OF "blobSHA256" ON photo
    FOR EACH ROW WHEN (OLD."blobSHA256" <> NEW."blobSHA256") EXECUTE FUNCTION follow_photo();

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
      kind text NOT NULL CHECK (kind IN ('blobs', 'previews')),
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

    CREATE TABLE import_run (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      fingerprint text NOT NULL,  -- of the order and the machine that its paths are of
      content text NOT NULL,      -- the order
      origin text COLLATE "C" NOT NULL,
      state text NOT NULL CHECK (state IN ('listing', 'working', 'done')),
      lister text CHECK ((lister IS NOT NULL) = (state = 'listing')),
      inputs bigint NOT NULL DEFAULT 0,
      bytes bigint NOT NULL DEFAULT 0,
      begun_at timestamptz NOT NULL DEFAULT clock_timestamp(),
      ended_at timestamptz CHECK ((ended_at IS NOT NULL) = (state = 'done'))
    );
    CREATE UNIQUE INDEX import_run_open ON import_run (fingerprint) WHERE state <> 'done';

    CREATE TABLE import_part (
      run bigint NOT NULL REFERENCES import_run (id) ON DELETE CASCADE,
      number bigint NOT NULL,
      state text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'taken', 'done')),
      token text CHECK ((token IS NOT NULL) = (state = 'taken')),
      worker text,
      leased_until timestamptz,
      attempts bigint NOT NULL DEFAULT 0,
      first_input bigint NOT NULL,
      end_input bigint NOT NULL CHECK (end_input > first_input),
      cursor bigint NOT NULL CHECK (cursor BETWEEN first_input AND end_input),
      imported bigint NOT NULL DEFAULT 0,
      duplicates bigint NOT NULL DEFAULT 0,
      unchanged bigint NOT NULL DEFAULT 0,
      skipped bigint NOT NULL DEFAULT 0,
      failed bigint NOT NULL DEFAULT 0,
      bytes_read bigint NOT NULL DEFAULT 0,
      bytes_written bigint NOT NULL DEFAULT 0,
      PRIMARY KEY (run, number),
      CHECK ((state = 'done') = (cursor = end_input)),
      CHECK (cursor - first_input = imported + duplicates + unchanged + skipped + failed)
    ) WITH (fillfactor = 50);
    CREATE INDEX import_part_waiting ON import_part (run, number) WHERE state = 'waiting';
    CREATE INDEX import_part_taken ON import_part (run, number) WHERE state = 'taken';

    CREATE TABLE import_input (
      run bigint NOT NULL REFERENCES import_run (id) ON DELETE CASCADE,
      place bigint NOT NULL,
      path bytea NOT NULL,
      -- The file as it was listed; no key for what is refused without a look.
      key bytea,
      device bigint NOT NULL,
      inode bigint NOT NULL,
      size bigint NOT NULL,
      modified bigint NOT NULL,
      is_linked boolean NOT NULL,
      refusal text,
      -- What became of it, once it is counted; `size` and `refusal` are as they were found then.
      outcome text
        CHECK (outcome IN ('imported', 'duplicate', 'unchanged', 'skipped', 'failed')),
      photo text COLLATE "C",
      tier text,
      PRIMARY KEY (run, place)
    ) WITH (fillfactor = 70);
    INSERT INTO store (found_pictures, secret, id) VALUES (false, sha256('secret'), 'older')
    """#
}
