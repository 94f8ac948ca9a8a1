import Announcements
package import PhotoAttachments

/// The tables of drafts and announcements. Moments are milliseconds since 1970.
extension Table {
  package static let ofReports = [
    reportDraft, announcement, announcementWord, wrongPassword, creatingClient, clientTries,
    announcedBytes, mail, mailCount,
  ]

  /// Web drafts have a client, those of the command line have none. What `DraftMarks` finds in the content
  /// has columns.
  package static let reportDraft = Table(
    "report_draft",
    """
    id key NOT NULL PRIMARY KEY
    content text NOT NULL
    updated_at integer NOT NULL
    revision integer NOT NULL DEFAULT 0
    client key
    submission_key, announcement_id text
    is_submitted flag NOT NULL DEFAULT FALSE
    """)

  /// Of the place `cell` has the bits of longitude and latitude in turns. One that an operator took down is
  /// closed as long as it has a `hidden_reason`; `owner_closed_at` is what becomes of `closed_at` then.
  /// `search` is what searches look at (`NewAnnouncement.searchText`), `short_code` what its short address
  /// ends with once it has been listed. A new code that was mailed (`new_password_hash`) works until
  /// `new_password_until`.
  package static let announcement = Table(
    "announcement",
    """
    number number
    id, idempotency_key text NOT NULL UNIQUE
    short_code key NOT NULL UNIQUE
    fingerprint text NOT NULL
    language, pet_name text
    species text NOT NULL
    breed, sex text
    age integer
    status text NOT NULL
    photo_id key REFERENCES photo (id)
    photo_sha256 text
    latitude, longitude real
    address text
    cell integer
    description text
    contact_name, contact_phone text NOT NULL
    email, microchip_number, disappeared_on text
    created_at, updated_at integer NOT NULL
    closed_at, owner_closed_at integer
    search text NOT NULL DEFAULT ''
    password_hash text NOT NULL
    new_password_hash text
    hidden_reason, \(PublishedTexts.fields.map(\.rawValue).joined(separator: ", ")) text
    new_password_until integer
    """)

  /// The words of `search`, and the species behind a `=`: what a search finds announcements by.
  package static let announcementWord = Table(
    "announcement_word", isKeyed: true,
    """
    word key NOT NULL
    announcement integer NOT NULL REFERENCES announcement (number) ON DELETE CASCADE
    PRIMARY KEY (word, announcement)
    """)

  /// Wrong passwords are counted by announcement and client.
  package static let wrongPassword = Table(
    "wrong_password", isKeyed: true,
    """
    announcement text NOT NULL REFERENCES announcement (id) ON DELETE CASCADE
    client text NOT NULL
    tries, tried_at integer NOT NULL
    locked_until integer
    PRIMARY KEY (announcement, client)
    """)

  /// Which client may repeat a create, for a day.
  static let creatingClient = Table(
    "creating_client", isKeyed: true,
    """
    idempotency_key text PRIMARY KEY REFERENCES announcement (idempotency_key) ON DELETE CASCADE
    network text NOT NULL
    browser text
    created_at integer NOT NULL
    """)

  /// When all of a client's shared tries are back, see `ClientTries`.
  static let clientTries = Table(
    "client_tries", isKeyed: true,
    """
    client text NOT NULL PRIMARY KEY
    full_at integer NOT NULL
    """)

  /// Bytes of pictures that a client announced, by days since 1970, see `PhotoShare`.
  static let announcedBytes = Table(
    "announced_bytes", isKeyed: true,
    """
    client text NOT NULL
    day, size integer NOT NULL
    PRIMARY KEY (client, day)
    """)

  /// Mails that wait to be sent, each sealed by a key that follows from the store's secret (`MailQueue`).
  static let mail = Table(
    "mail", isKeyed: true,
    """
    id key NOT NULL PRIMARY KEY
    announcement text NOT NULL REFERENCES announcement (id) ON DELETE CASCADE
    sealed bytes NOT NULL
    tries, created_at, next_try_at integer NOT NULL
    """)

  /// How many mails an address got, a client caused, or an announcement's owner asked for, by days since 1970;
  /// all as digests (`MailQueue.Count`).
  static let mailCount = Table(
    "mail_count", isKeyed: true,
    """
    who text NOT NULL
    day, mails integer NOT NULL
    PRIMARY KEY (who, day)
    """)
}
