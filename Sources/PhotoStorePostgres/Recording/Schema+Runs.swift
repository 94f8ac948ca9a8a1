extension Schema {
  /// What `ImportRuns` knows. The checks are a belt: counts that are not exact cannot be written.
  static let runs = """
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
    ) WITH (fillfactor = 70)
    """
}
