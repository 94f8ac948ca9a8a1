import GRDB
import ImageContainers
import PhotoAttachments

extension FieldValue {
  init(_ value: DatabaseValue) {
    switch value.storage {
    case .null: self = .null
    case .int64(let number): self = .int(number)
    case .double(let number): self = .double(number)
    case .string(let text): self = .text(text)
    case .blob(let data): self = .data(data)
    }
  }

  var databaseValue: DatabaseValue {
    switch self {
    case .null: .null
    case .int(let number): number.databaseValue
    case .double(let number): number.databaseValue
    case .text(let text): text.databaseValue
    case .data(let data): data.databaseValue
    }
  }
}

/// A photo's record as a row of the table `photo`.
extension SealedRecord {
  init(_ row: Row) {
    var fields: [String: FieldValue] = [:]
    fields.reserveCapacity(row.count)
    for (column, value) in row where column != "sequence" { fields[column] = FieldValue(value) }
    self.init(sequence: row["sequence"], fields: fields)
  }

  private static let insertion = """
    INSERT INTO photo (\(columns.joined(separator: ", ")))
    VALUES (\(databaseQuestionMarks(count: columns.count)))
    """

  /// Records the photo.
  func insert(_ db: Database) throws {
    try db.cachedStatement(sql: Self.insertion).execute(
      arguments: StatementArguments(Self.columns.map { fields[$0]?.databaseValue ?? .null }))
  }

  /// Writes fields that differ from those of `old`.
  func update(_ db: Database, from old: SealedRecord) throws {
    let changed = fields.keys.filter { fields[$0] != old.fields[$0] }.sorted()
    if changed.isEmpty { return }
    let values = changed.map { fields[$0]?.databaseValue ?? .null } + [sequence.databaseValue]
    try db.execute(
      sql: """
        UPDATE photo SET \(changed.map { "\($0) = ?" }.joined(separator: ", "))
        WHERE sequence = ?
        """, arguments: StatementArguments(values))
  }

  /// Lets this photo show other pictures, and with it every photo whose blob is the same file. The
  /// new files are there already; the old ones are to be given up after the commit.
  func show(_ pictures: Pictures, _ db: Database) throws {
    let sharing = try SealedRecord.fetchAll(
      db, "WHERE blobSHA256 = ? AND blobFormat = ?", [text("blobSHA256"), text("blobFormat")])
    for photo in sharing where photo.isSealed {
      try photo.showing(pictures).sealedAnew.update(db, from: photo)
    }
  }

  /// The photos of a condition.
  static func fetchAll(
    _ db: Database, _ condition: String, _ arguments: StatementArguments
  ) throws -> [SealedRecord] {
    var photos: [SealedRecord] = []
    let rows = try Row.fetchCursor(
      db.cachedStatement(sql: "SELECT * FROM photo \(condition)"), arguments: arguments)
    while let row = try rows.next() { photos.append(SealedRecord(row)) }
    return photos
  }

  /// The photo with this id.
  static func fetch(_ db: Database, id: String) throws -> SealedRecord? {
    try fetchAll(db, "WHERE id = ?", [id]).first
  }

  /// The photo that was recorded under this number.
  static func fetch(_ db: Database, sequence: Int64) throws -> SealedRecord? {
    try fetchAll(db, "WHERE sequence = ?", [sequence]).first
  }

  /// Deletes a photo that neither a draft nor the library of imported photos refers to any more.
  ///
  /// - Returns: its places, for the files to be given up after the commit.
  static func deleteUnreferenced(_ db: Database, id: String) throws -> [BlobPath] {
    // What cannot be read of an altered record can be deleted all the same.
    guard let photo = try fetch(db, id: id) else { return [] }
    try db.execute(
      sql: """
        DELETE FROM photo WHERE id = ?1
          AND NOT EXISTS (SELECT 1 FROM attachment WHERE photo = ?1)
          AND NOT EXISTS (SELECT 1 FROM libraryPhoto WHERE photo = ?1)
        """, arguments: [photo.id])
    return db.changesCount > 0 ? photo.places : []
  }
}

extension BlobPath {
  /// Whether any photo's record refers to this picture.
  func isReferenced(_ db: Database) throws -> Bool {
    try Bool.fetchOne(
      db.cachedStatement(
        sql: """
          SELECT EXISTS (
            SELECT 1 FROM photo WHERE \(kind.column)SHA256 = ? AND \(kind.column)Format = ?)
          """),
      arguments: [sha256, format.rawValue]) ?? false
  }
}

extension RecordedPicture {
  /// A photo's blob by its record, nil without one that says a possible place.
  static func fetch(_ db: Database, blobOf id: String) throws -> RecordedPicture? {
    guard
      let row = try Row.fetchOne(
        db.cachedStatement(
          sql: "SELECT blobSHA256, blobFormat, blobSizeBytes FROM photo WHERE id = ?"),
        arguments: [id]),
      let format = ImageFormat(rawValue: row[1]),
      let place = BlobPath(.blob, sha256: row[0], format: format)
    else { return nil }
    return RecordedPicture(place, sizeBytes: row[2])
  }
}
