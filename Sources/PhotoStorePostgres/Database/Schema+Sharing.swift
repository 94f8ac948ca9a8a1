extension Schema {
  /// The tables of `PostgresUploads`. Pieces are parts of photos, which are already compressed, so the server doesn't
  /// try to compress them.
  static let uploads = """
    CREATE TABLE upload (
      token text COLLATE "C" PRIMARY KEY,
      owner text NOT NULL,
      client text NOT NULL,
      length bigint NOT NULL CHECK (length >= 0),
      has_length boolean NOT NULL,  -- else length is the most that it may have
      file_name bytea,  -- as the client sent it, with whatever is in it
      created_at bigint NOT NULL,
      touched_at bigint NOT NULL DEFAULT 0,  -- when bytes came last
      reached bigint NOT NULL DEFAULT 0 CHECK (reached BETWEEN 0 AND length),
      attempt bigint NOT NULL DEFAULT 0,
      worker text CHECK (worker IS NULL OR has_length AND reached = length),  -- makes the photo
      refused_status bigint,
      refused_body bytea,
      finished_at bigint,
      CHECK ((refused_status IS NULL) = (refused_body IS NULL)),
      CHECK (finished_at IS NOT NULL OR refused_status IS NULL),
      CHECK (finished_at IS NULL OR worker IS NULL)
    ) WITH (fillfactor = 70);
    CREATE INDEX upload_open ON upload (created_at) WHERE finished_at IS NULL;
    CREATE INDEX upload_finished ON upload (finished_at) WHERE finished_at IS NOT NULL;

    CREATE TABLE upload_piece (
      upload text COLLATE "C" NOT NULL REFERENCES upload (token) ON DELETE CASCADE,
      start bigint NOT NULL,
      bytes bytea NOT NULL,
      PRIMARY KEY (upload, start)
    );
    ALTER TABLE upload_piece ALTER COLUMN bytes SET STORAGE EXTERNAL;

    """

  /// The tables of `ImportRuns`, which are imports that several workers share. The checks are a safeguard: rows with
  /// inconsistent counts cannot be written.
  static let runs = """
    CREATE TABLE import_run (
      id bigint PRIMARY KEY,      -- of library_run
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
    """
}
