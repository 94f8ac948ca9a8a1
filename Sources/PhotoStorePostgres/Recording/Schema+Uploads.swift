extension Schema {
  /// What `PostgresUploads` knows. Pieces are photos, which nothing makes smaller: the server need not
  /// try.
  static let uploads = """
    CREATE TABLE upload (
      token text COLLATE "C" PRIMARY KEY,
      owner text NOT NULL,
      client text NOT NULL,
      length bigint NOT NULL CHECK (length >= 0),
      file_name bytea,  -- as the client sent it, with whatever is in it
      created_at bigint NOT NULL,
      reached bigint NOT NULL DEFAULT 0 CHECK (reached BETWEEN 0 AND length),
      attempt bigint NOT NULL DEFAULT 0,
      worker text CHECK (worker IS NULL OR reached = length),  -- makes the photo
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
    ALTER TABLE upload_piece ALTER COLUMN bytes SET STORAGE EXTERNAL
    """

  /// When bytes came last. Uploads of before count from their beginning.
  static let openUploads = """
    ALTER TABLE upload ADD COLUMN touched_at bigint NOT NULL DEFAULT 0;
    UPDATE upload SET touched_at = created_at
    """
}
