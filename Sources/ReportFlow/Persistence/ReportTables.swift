import Announcements
package import PhotoAttachments
import PhotoModel

/// The tables of drafts and announcements. Times are milliseconds since 1970.
extension Table {
  package static let ofReports = [
    reportDraft, announcement, announcementWord, wrongPassword, creatingClient, clientTries,
    announcedBytes, mail, mailCount, wordUpdate,
  ]

  /// Drafts. Web drafts have a client, and drafts of the command line don't. The fields of `DraftMarks` are columns.
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

  /// Announcements. `cell` is the code of the place (`GeoCell`). An announcement with a `hidden_reason` was taken down
  /// by an operator and counts as closed. If the operator shows it again, `closed_at` becomes `owner_closed_at`.
  /// `search` is the text for searches (`NewAnnouncement.searchText`). `short_code` is the end of its short URL once it
  /// has been listed. A mailed code (`new_password_hash`) is valid until `new_password_until`. `closed_reason`
  /// is the reason that the owner gave for closing (`ClosingReason`).
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
    closed_reason text
    """)

  /// The word index of searches. It contains the words of `search`, and the species with the prefix `=`.
  package static let announcementWord = Table(
    "announcement_word", isKeyed: true,
    """
    word key NOT NULL
    announcement integer NOT NULL REFERENCES announcement (number) ON DELETE CASCADE
    PRIMARY KEY (word, announcement)
    """)

  /// The announcements whose words an earlier version wrote. The server rewrites them
  /// (`AnnouncementStore.updateWords`).
  static let wordUpdate = Table(
    "word_update", isKeyed: true,
    """
    announcement integer NOT NULL PRIMARY KEY REFERENCES announcement (number) ON DELETE CASCADE
    """)

  /// Counts of wrong passwords by announcement and client.
  package static let wrongPassword = Table(
    "wrong_password", isKeyed: true,
    """
    announcement text NOT NULL REFERENCES announcement (id) ON DELETE CASCADE
    client text NOT NULL
    tries, tried_at integer NOT NULL
    locked_until integer
    PRIMARY KEY (announcement, client)
    """)

  /// The client that may repeat a create. Rows expire after a day.
  static let creatingClient = Table(
    "creating_client", isKeyed: true,
    """
    idempotency_key text PRIMARY KEY REFERENCES announcement (idempotency_key) ON DELETE CASCADE
    network text NOT NULL
    browser text
    created_at integer NOT NULL
    """)

  /// The time when all of a client's shared tries are available again (see `ClientTries`).
  static let clientTries = Table(
    "client_tries", isKeyed: true,
    """
    client text NOT NULL PRIMARY KEY
    full_at integer NOT NULL
    """)

  /// The bytes of pictures that a client announced, by days since 1970 (see `PhotoShare`).
  static let announcedBytes = Table(
    "announced_bytes", isKeyed: true,
    """
    client text NOT NULL
    day, size integer NOT NULL
    PRIMARY KEY (client, day)
    """)

  /// Unsent mails, each encrypted with a key that is derived from the store's secret (`MailQueue`).
  static let mail = Table(
    "mail", isKeyed: true,
    """
    id key NOT NULL PRIMARY KEY
    announcement text NOT NULL REFERENCES announcement (id) ON DELETE CASCADE
    sealed bytes NOT NULL
    tries, created_at, next_try_at integer NOT NULL
    """)

  /// The numbers of mails by days since 1970, per address, client or announcement. All names are digests
  /// (`MailQueue.Count`).
  static let mailCount = Table(
    "mail_count", isKeyed: true,
    """
    who text NOT NULL
    day, mails integer NOT NULL
    PRIMARY KEY (who, day)
    """)
}
