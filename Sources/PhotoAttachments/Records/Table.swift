/// The definition of a table. New databases, copies to another database (`petspot move`) and seals all take its columns
/// from here.
package struct Table: Sendable {
  package enum Kind: String, Sendable {
    case text, integer, real, bytes, flag
    /// Text that is compared by its bytes, whatever the database's collation.
    case key
    /// A number that increases with each row.
    case number
    /// An integer that identifies the row and is never reused.
    case sequence
  }

  package struct Column: Sendable {
    package let name: String
    package let kind: Kind
    /// The constraints, as SQL that follows the column's type.
    let rest: String
  }

  package let name: String
  package let columns: [Column]
  let rules: [String]
  /// `true` if the table is `WITHOUT ROWID` in SQLite.
  let isKeyed: Bool

  /// Creates a table from lines of text. A line is either a list of column names followed by their type and SQL
  /// constraints, or a constraint of the table.
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

  /// Returns the names of the columns except those in `left`.
  package func names(without left: [String] = []) -> [String] {
    columns.map(\.name).filter { !left.contains($0) }
  }

  package func kind(of name: String) -> Kind { columns.first { $0.name == name }?.kind ?? .text }
}

/// The tables for photos, attachments and the library. Times are in milliseconds since 1970.
extension Table {
  package static let ofPhotos = [
    photo, attachment, libraryRun, libraryPhoto, libraryCopy, sourceFile, importRoot, erasure,
    photoSize, regularJob,
  ]

  /// The photos. Fields are sealed in this order (`Seal`), and lists are stored as the text that is sealed.
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

  /// The imports that added photos: the inputs that the person named, as they are displayed, and the start time.
  package static let libraryRun = Table(
    "library_run",
    """
    id sequence
    names text NOT NULL
    begun_at integer NOT NULL
    """)

  /// The photos in the library. Searches use the columns after the seal: the folder in which an import found the photo,
  /// starting at the imported one; folder and name in the form that `PhotoQuery` compares; and the capture time, with
  /// the place where it was found (`TakenDate`). The run that added the photo has no meaning in another store.
  package static let libraryPhoto = Table(
    "library_photo", isKeyed: true,
    """
    photo key PRIMARY KEY REFERENCES photo (id)
    perceptual_hash integer NOT NULL
    seal text
    folder, words key NOT NULL
    taken key
    run integer
    taken_from key CHECK (taken_from IN ('exif', 'sidecar', 'name'))
    """)

  /// The other folders and names in which imports found a copy of a library photo.
  package static let libraryCopy = Table(
    "library_copy", isKeyed: true,
    """
    photo key NOT NULL REFERENCES library_photo (photo) ON DELETE CASCADE
    folder, name, words key NOT NULL
    PRIMARY KEY (photo, folder, name)
    """)

  /// The files that imports have checked, by the machine that holds them. An import that removes an original first
  /// writes `fate`. Afterwards it writes the new path to `moved_to`, or records that the file stayed.
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

  /// The imported folders by machine (`origin`). The folder of a photo is displayed relative to them.
  package static let importRoot = Table(
    "import_root", isKeyed: true,
    """
    origin key NOT NULL
    path bytes NOT NULL
    PRIMARY KEY (origin, path)
    """)

  /// The marks of erased or forgotten items (`ErasureMark`).
  package static let erasure = Table("erasure", isKeyed: true, "mark key NOT NULL PRIMARY KEY")

  /// The sizes generated from blobs. `max_side` is `PhotoSize.maxSide`, and `blob` is the digest of the source picture.
  /// If the file has been deleted (`is_stored` is 0), the digest still validates copies that clients have cached.
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

  /// The time of each job's last success (`RegularJob`).
  static let regularJob = Table(
    "regular_job", isKeyed: true,
    """
    name key NOT NULL PRIMARY KEY
    succeeded_at integer NOT NULL
    """)
}
