package import PhotoAttachments

extension TableGroup {
  /// The tables of drafts and announcements.
  package static let reports = TableGroup(
    "reports",
    changes: [
      // SQLite
      "066cddf6f219f869875e4081ee467a0ef1ae818d6a0760bb5decb4aecb535506":
        endOfCodes("INTEGER") + reasonsAndForms(.sqlite),
      "8236cd0e1450f947ae83d31b354541274c89a1b048f077ec39ac03ef735231c9":
        endOfCodes("INTEGER") + reasonsAndForms(.sqlite),
      "845b6895264ad9ec7d69827895b4303db0b2e96dae7391375c02de52e043434c": reasonsAndForms(.sqlite),
      "1fb824807a4458741ef1a8dd6cda41ca7425b07a9113ce8ef9792f48805ca3fb": reasonsAndForms(.sqlite),
      // PostgreSQL
      "12bce2387aca0ef3216409ff3936eb8bc8550c18eb81743f68e179884f18dc5f":
        endOfCodes("bigint") + reasonsAndForms(.postgres),
      "5e098fea0c5d393e0bf05e04567c4d6057d3ef143507d430b4576df84cb851b7":
        endOfCodes("bigint") + reasonsAndForms(.postgres),
      "e6769e88df0b9af3b78fa67484e85242d397f3f8429ded4b248b7e55ec0fcfa7": reasonsAndForms(
        .postgres),
      "3d467f6d3921be0a680694805815edbb77edf85d51254a175502cf66f893622f": reasonsAndForms(
        .postgres),
    ]
  ) { dialect in
    Table.ofReports.map(dialect.creation).joined()
      + (dialect == .sqlite ? sqliteTables : postgresTables)
  }

  /// Codes that were mailed by earlier versions never expire, so the migration invalidates them.
  private static func endOfCodes(_ type: String) -> String {
    """
    ALTER TABLE announcement ADD COLUMN new_password_until \(type);
    UPDATE announcement SET new_password_hash = NULL;

    """
  }

  /// The reason for closing. Searches of earlier versions didn't find other forms of words, so the words of all
  /// announcements are rewritten.
  private static func reasonsAndForms(_ dialect: Dialect) -> String {
    """
    ALTER TABLE announcement ADD COLUMN closed_reason text;
    \(dialect.creation(of: .wordUpdate))
    INSERT INTO word_update SELECT number FROM announcement WHERE search <> '';

    """
  }

  private static let sqliteTables = """
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

  private static let postgresTables = """
    ALTER TABLE client_tries SET (fillfactor = 70);
    ALTER TABLE report_draft
      ADD COLUMN text_bytes bigint GENERATED ALWAYS AS (octet_length(content)) STORED;
    CREATE INDEX report_draft_by_client ON report_draft (client, id, text_bytes)
      WHERE client IS NOT NULL;
    CREATE INDEX creating_client_by_age ON creating_client (created_at);
    CREATE INDEX client_tries_by_age ON client_tries (full_at);
    CREATE INDEX announced_bytes_by_age ON announced_bytes (day);
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
    CREATE INDEX announcement_word_by_announcement ON announcement_word (announcement);
    CREATE INDEX announcement_closed ON announcement (closed_at) WHERE closed_at IS NOT NULL;
    CREATE INDEX announcement_by_photo ON announcement (photo_id) WHERE photo_id IS NOT NULL;
    CREATE INDEX wrong_password_by_age ON wrong_password (tried_at);

    -- A repair may give a photo other bytes; every row that shows the photo shows those.
    CREATE FUNCTION follow_photo() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      UPDATE petspot.announcement SET photo_sha256 = NEW."blobSHA256" WHERE photo_id = NEW."id";
      RETURN NULL;
    END $$;
    CREATE TRIGGER announcement_follows_photo AFTER UPDATE OF "blobSHA256" ON photo
    FOR EACH ROW WHEN (OLD."blobSHA256" <> NEW."blobSHA256") EXECUTE FUNCTION follow_photo();
    """
}
