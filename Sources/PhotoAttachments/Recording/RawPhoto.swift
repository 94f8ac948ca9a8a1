import Foundation
import GRDB
import ImageContainers
import PhotoIngestion

/// A photo's row as it lies in the catalog, whatever was done to it.
struct RawPhoto: Sendable, Equatable {
  var sequence: Int64
  /// Every column.
  var fields: [String: DatabaseValue]

  private init(_ row: Row) {
    sequence = row["sequence"]
    fields = row.fields
  }

  /// The id as it is on record.
  var id: String { text("id") ?? "" }
  /// The record, nil when it says what cannot be.
  var row: PhotoRow? {
    guard let row = try? PhotoRow(row: Row(fields)), UUID(uuidString: row.id) != nil,
      (try? row.places) != nil
    else { return nil }
    return row
  }
  /// Whether every field is as it was written.
  var isSealed: Bool { text("seal") == Seal.photo(fields) }

  /// A field of text.
  func text(_ name: String) -> String? { fields[name].flatMap(String.fromDatabaseValue) }
  /// A field with a whole number.
  func number(_ name: String) -> Int? { fields[name].flatMap(Int.fromDatabaseValue) }

  /// Where a picture lies by the record, nil when it says no possible place.
  func place(_ kind: BlobPath.Kind) -> BlobPath? {
    guard let digest = text(kind.column + "SHA256"),
      let format = text(kind.column + "Format").flatMap(ImageFormat.init(rawValue:))
    else { return nil }
    return BlobPath(kind, sha256: digest, format: format)
  }

  /// Whether a picture is what the record says of it.
  func agrees(with file: StoredFile, _ kind: BlobPath.Kind) -> Bool {
    let column = kind.column
    guard case .sound(let size, let width, let height, let frames) = file else { return false }
    return size == number(column + "SizeBytes") && width == number(column + "Width")
      && height == number(column + "Height") && frames == number(column + "FrameCount")
  }

  /// The same with other values for some fields.
  func with(_ changes: [String: DatabaseValue]) -> RawPhoto {
    var photo = self
    photo.fields.merge(changes) { _, new in new }
    return photo
  }

  /// The form it was made in, nil when that is not known.
  var form: PhotoForm? { text("form").flatMap(PhotoForm.init(text:)) }

  /// The same with another blob and preview of the same photo.
  func showing(blob: StoredPicture, preview: StoredPicture, form: PhotoForm?) -> RawPhoto {
    with(blob.fields(.blob)).with(preview.fields(.preview))
      .with(["form": form?.text.databaseValue ?? .null])
  }

  /// Lets this photo show another blob and preview, and with it every photo whose blob is the same
  /// file. The new files are there already; the old ones are to be given up after the commit.
  func show(
    blob: StoredPicture, preview: StoredPicture, form: PhotoForm?, _ db: Database
  ) throws {
    let sharing = try Row.fetchAll(
      db, sql: "SELECT * FROM photo WHERE blobSHA256 = ? AND blobFormat = ?",
      arguments: [text("blobSHA256"), text("blobFormat")])
    for photo in sharing.map(RawPhoto.init) where photo.isSealed {
      try photo.showing(blob: blob, preview: preview, form: form).sealedAnew
        .update(db, from: photo)
    }
  }

  /// The same, sealed as it is.
  var sealedAnew: RawPhoto { with(["seal": Seal.photo(fields).databaseValue]) }

  /// The next photos in the order of recording.
  static func page(
    _ db: Database, after sequence: Int64, limit: Int, attachedOnly: Bool
  ) throws -> [RawPhoto] {
    let attached = "AND EXISTS (SELECT 1 FROM attachment WHERE attachment.photo = photo.id)"
    return try Row.fetchAll(
      db,
      sql: """
        SELECT * FROM photo WHERE sequence > ? \(attachedOnly ? attached : "")
        ORDER BY sequence LIMIT ?
        """, arguments: [sequence, limit]
    ).map(RawPhoto.init)
  }

  /// The photo that was recorded under this number.
  static func fetch(_ db: Database, sequence: Int64) throws -> RawPhoto? {
    try Row.fetchOne(db, sql: "SELECT * FROM photo WHERE sequence = ?", arguments: [sequence])
      .map(RawPhoto.init)
  }

  /// The photo with this id.
  static func fetch(_ db: Database, id: String) throws -> RawPhoto? {
    try Row.fetchOne(db, sql: "SELECT * FROM photo WHERE id = ?", arguments: [id])
      .map(RawPhoto.init)
  }

  /// Writes fields that differ from those of `old`.
  func update(_ db: Database, from old: RawPhoto) throws {
    let changed = fields.keys.filter { fields[$0] != old.fields[$0] }.sorted()
    if changed.isEmpty { return }
    let values = changed.map { fields[$0] ?? .null } + [sequence.databaseValue]
    try db.execute(
      sql: """
        UPDATE photo SET \(changed.map { "\($0) = ?" }.joined(separator: ", "))
        WHERE sequence = ?
        """, arguments: StatementArguments(values))
  }
}

extension StoredPicture {
  /// The columns that tell of it.
  func fields(_ kind: BlobPath.Kind) -> [String: DatabaseValue] {
    let column = kind.column
    var fields = [
      column + "SHA256": sha256.databaseValue, column + "Format": format.rawValue.databaseValue,
      column + "SizeBytes": sizeBytes.databaseValue, column + "Width": pixelWidth.databaseValue,
      column + "Height": pixelHeight.databaseValue,
      column + "FrameCount": frameCount.databaseValue,
    ]
    if kind == .blob {
      // A blob is as large as what a person sees of the original.
      fields["pixelWidth"] = pixelWidth.databaseValue
      fields["pixelHeight"] = pixelHeight.databaseValue
    }
    return fields
  }
}

extension BlobPath.Kind {
  /// What the columns of such a picture begin with.
  var column: String { self == .blob ? "blob" : "preview" }
}
