import ImageContainers
package import PhotoAttachments
import Records

/// Rows of `object`.
enum ObjectLines {
  /// What `object` reads, in its order.
  static let columns = "kind, sha256, format, nonce, size"

  /// SQL for the object that stands for a picture, by `values`.
  static let ofPicture = """
    SELECT \(columns) FROM object
    WHERE place = $1 AND kind = $2 AND sha256 = $3 AND format = $4 AND state = 'named'
    """

  /// Where the store is, and a picture in it.
  static func values(_ place: FieldValue, _ picture: BlobPath) -> [FieldValue] {
    [
      place, .text(picture.kind.rawValue), .text(picture.sha256), .text(picture.format.rawValue),
    ]
  }

  /// Pictures as three lists: kinds, digests, formats.
  static func lists(_ pictures: [BlobPath]) -> [FieldValue] {
    [
      .array(pictures.map(\.kind.rawValue)), .array(pictures.map(\.sha256)),
      .array(pictures.map(\.format.rawValue)),
    ]
  }

  /// The object of a row, nil when it is none of this version's.
  static func object(_ row: AnswerRow) -> StoredObject? {
    guard let kind = row.text(0).flatMap(BlobPath.Kind.init(rawValue:)), let digest = row.text(1),
      let format = row.text(2).flatMap(ImageFormat.init(rawValue:)),
      let place = BlobPath(kind, sha256: digest, format: format),
      let nonce = row.text(3), let size = row.number(4)
    else { return nil }
    return StoredObject(place: place, nonce: nonce, sizeBytes: Int(size))
  }
}

/// What is known of objects.
extension PostgresObjectLedger {
  package func object(of picture: BlobPath) throws(StoreError) -> StoredObject? {
    try database.rows(ObjectLines.ofPicture, ObjectLines.values(place, picture)).first
      .flatMap(ObjectLines.object)
  }

  package func aside() throws(StoreError) -> [(name: String, object: StoredObject)] {
    try database.rows(
      """
      SELECT \(ObjectLines.columns), name FROM object WHERE place = $1 AND state = 'aside'
      ORDER BY nonce
      """, [place]
    ).compactMap { row in
      guard let name = row.text(5), let object = ObjectLines.object(row) else { return nil }
      return (name, object)
    }
  }

  package func doomed() throws(StoreError) -> [StoredObject] {
    try database.rows(
      "SELECT \(ObjectLines.columns) FROM object WHERE place = $1 AND state = 'doomed'", [place]
    ).compactMap(ObjectLines.object)
  }

  package func places(_ kind: BlobPath.Kind, shard: String) throws(StoreError) -> [BlobPath] {
    try database.rows(
      """
      SELECT \(ObjectLines.columns) FROM object
      WHERE place = $1 AND state = 'named' AND kind = $2 AND sha256 >= $3 AND sha256 < $4
      ORDER BY sha256
      """, [place, .text(kind.rawValue), .text(shard), .text(shard + "g")]
    ).compactMap { ObjectLines.object($0)?.place }
  }

  package func hasPictures() throws(StoreError) -> Bool {
    try database.rows("SELECT EXISTS (SELECT 1 FROM object WHERE place = $1)", [place])
      .first?.isTrue(0) ?? false
  }

  package func known(_ nonces: [String]) throws(StoreError) -> Set<String> {
    if nonces.isEmpty { return [] }
    return Set(
      try database.rows(
        "SELECT nonce FROM object WHERE place = $1 AND nonce = ANY($2)", [place, .array(nonces)]
      ).compactMap { $0.text(0) })
  }
}
