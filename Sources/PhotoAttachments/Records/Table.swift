/// A table as it is: its columns stand here once, and new databases, moves and seals take them from here.
package struct Table: Sendable {
  /// What a column holds.
  package enum Kind: String, Sendable {
    case text, integer, real, bytes, flag
    /// A text that is compared by its bytes.
    case key
    /// Counts up with each row.
    case number
    /// A whole number that identifies the row, and is never given twice.
    case sequence
  }

  package struct Column: Sendable {
    package let name: String
    package let kind: Kind
    /// Constraints, as SQL behind the type of the column.
    let rest: String
  }

  package let name: String
  package let columns: [Column]
  let rules: [String]
  /// Whether the table is `WITHOUT ROWID` in SQLite.
  let isKeyed: Bool

  /// A table of these lines: names of columns, what they hold, and what SQL says of them; or a rule of the
  /// table.
  package init(_ name: String, isKeyed: Bool = false, _ lines: String) {
    var columns = [Column]()
    var rules = [String]()
    for line in lines.split(separator: "\n").map(String.init) {
      let words = line.split(separator: " ").map(String.init)
      let place = words.dropFirst().firstIndex { Kind(rawValue: $0) != nil }
      guard let place, let kind = Kind(rawValue: words[place]) else {
        rules.append(line)
        continue
      }
      let rest = words[(place + 1)...].joined(separator: " ")
      columns += words[..<place].map {
        Column(name: $0.replacing(",", with: ""), kind: kind, rest: rest)
      }
    }
    self.name = name
    self.isKeyed = isKeyed
    self.columns = columns
    self.rules = rules
  }

  /// The columns' names, without some.
  package func names(without left: [String] = []) -> [String] {
    columns.map(\.name).filter { !left.contains($0) }
  }

  /// What a column holds.
  package func kind(of name: String) -> Kind { columns.first { $0.name == name }?.kind ?? .text }
}

/// The tables of photos, of what drafts show, and of the library. Moments are milliseconds since 1970.
extension Table {
  package static let ofPhotos = [
    photo, attachment, libraryRun, libraryPhoto, sourceFile, importRoot, erasure, photoSize,
    regularJob,
  ]

  /// In this order its fields are sealed (`Seal`). Lists are the texts they are sealed as.
  package static let photo = Table(
    "photo",
    """
    sequence sequence
    id key NOT NULL UNIQUE
    fileName text NOT NULL
    fileSizeBytes integer NOT NULL CHECK ("fileSizeBytes" > 0)
    uti text NOT NULL
    pixelWidth integer NOT NULL CHECK ("pixelWidth" > 0)
    pixelHeight integer NOT NULL CHECK ("pixelHeight" > 0)
    assetIdentifier text
    savedAtMilliseconds integer NOT NULL
    sourceSHA256 text NOT NULL
    sourceOrientation, sourceFrameCount, sourceHasAlpha integer NOT NULL
    sourceColorProfile, sourceCapturedAt text
    sourceHasLocation integer NOT NULL
    blobSHA256, blobFormat text NOT NULL
    blobSizeBytes integer NOT NULL CHECK ("blobSizeBytes" > 0)
    blobWidth, blobHeight, blobFrameCount integer NOT NULL
    previewSHA256, previewFormat text NOT NULL
    previewSizeBytes integer NOT NULL CHECK ("previewSizeBytes" > 0)
    previewWidth, previewHeight, previewFrameCount integer NOT NULL
    normalizationMethod, normalizationReasons, normalizationLosses text NOT NULL
    normalizationRepairs, normalizationRemoved text NOT NULL
    form, seal text
    """)

  package static let attachment = Table(
    "attachment",
    """
    draft key PRIMARY KEY
    state text NOT NULL CHECK (state IN ('empty', 'loading', 'confirmed'))
    ticket integer
    photo key REFERENCES photo (id)
    worker, failure text
    failed_at integer
    updated_at integer NOT NULL
    owner text NOT NULL CHECK (owner IN ('report', 'host'))
    CHECK (state <> 'empty' OR photo IS NULL)
    CHECK (state <> 'confirmed' OR photo IS NOT NULL)
    CHECK ((state = 'loading') = (ticket IS NOT NULL))
    CHECK ((state = 'loading') = (worker IS NOT NULL))
    """)

  /// Imports that brought photos: what the person named, as it is shown, and when it began.
  package static let libraryRun = Table(
    "library_run",
    """
    id sequence
    names text NOT NULL
    begun_at integer NOT NULL
    """)

  /// Photos of the library. By the columns behind the seal they are looked for: the folder in which an import
  /// found it, from the imported one on; folder and name as `PhotoSearch` compares them; when it was taken. The
  /// run that brought it has no meaning in another store.
  package static let libraryPhoto = Table(
    "library_photo", isKeyed: true,
    """
    photo key PRIMARY KEY REFERENCES photo (id)
    perceptual_hash integer NOT NULL
    seal text
    folder, words key NOT NULL
    taken key
    run integer
    """)

  /// What is known of a file that an import looked at, by the machine that it lies on. An import that takes an
  /// original away writes `fate` before, and afterwards where it was `moved_to`, or that it stayed.
  package static let sourceFile = Table(
    "source_file", isKeyed: true,
    """
    origin key NOT NULL
    path bytes NOT NULL
    device, inode, size, modified integer NOT NULL
    sha256 text
    photo key REFERENCES library_photo (photo) ON DELETE CASCADE
    tier text CHECK (tier IN ('bytes', 'pixels'))
    refusal text
    fate text CHECK (fate IN ('deleted', 'moved'))
    moved_to bytes
    PRIMARY KEY (origin, path)
    CHECK ((photo IS NULL) <> (refusal IS NULL))
    CHECK (tier IS NULL OR photo IS NOT NULL)
    """)

  /// Imported folders by machine (`origin`); people see the folder of a photo relative to them.
  package static let importRoot = Table(
    "import_root", isKeyed: true,
    """
    origin key NOT NULL
    path bytes NOT NULL
    PRIMARY KEY (origin, path)
    """)

  /// Marks of what was erased or forgotten (`ErasureMark`).
  package static let erasure = Table("erasure", isKeyed: true, "mark key NOT NULL PRIMARY KEY")

  /// Sizes of blobs that were made: `max_side` is `PhotoSize.maxSide`, `blob` the digest of what a size was made
  /// of. Without its file (`is_stored`) the digest still answers clients that have it already.
  package static let photoSize = Table(
    "photo_size", isKeyed: true,
    """
    photo key NOT NULL REFERENCES photo (id) ON DELETE CASCADE
    max_side integer NOT NULL
    format, blob text NOT NULL
    sha256 key NOT NULL
    size_bytes integer NOT NULL
    is_stored integer NOT NULL CHECK (is_stored IN (0, 1))
    used_at integer NOT NULL
    PRIMARY KEY (photo, max_side, format)
    """)

  /// When a job last succeeded (`RegularJob`).
  static let regularJob = Table(
    "regular_job", isKeyed: true,
    """
    name key NOT NULL PRIMARY KEY
    succeeded_at integer NOT NULL
    """)
}
