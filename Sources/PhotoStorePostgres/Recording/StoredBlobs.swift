import ImageContainers
import PhotoAttachments

/// Rows of `stored_blob` that a transaction holds: until it ends nobody else records those pictures,
/// gives them up or deletes them.
struct StoredBlobs {
  private var ids: [BlobPath: Int64] = [:]

  private init() {}

  /// Rows of digest, kind, format and number.
  private init(_ rows: [PostgresRow]) {
    for row in rows {
      guard let digest = row.text(0), let kind = row.text(1).flatMap(BlobPath.Kind.init(rawValue:)),
        let format = row.text(2).flatMap(ImageFormat.init(rawValue:)),
        let place = BlobPath(kind, sha256: digest, format: format)
      else { continue }
      ids[place] = row.number(3)
    }
  }

  /// The row of a picture.
  func id(_ place: BlobPath) -> Int64? { ids[place] }

  /// Holds the rows of these pictures, making those that are missing. In one order, so that two who
  /// hold several never wait for each other.
  static func hold(
    _ places: some Sequence<BlobPath>, _ t: PostgresTransaction
  ) throws -> StoredBlobs {
    let places = Set(places).sorted { $0.relativePath < $1.relativePath }
    if places.isEmpty { return StoredBlobs() }
    let rows = try t.rows(
      """
      INSERT INTO stored_blob (kind, sha256, format)
      SELECT * FROM unnest($1::text[], $2::text[], $3::text[])
      ON CONFLICT (kind, sha256, format) DO UPDATE SET held_at = now()
      RETURNING sha256, kind, format, id
      """, ObjectLines.lists(places))
    return StoredBlobs(rows)
  }

  /// Takes away those rows that no photo refers to.
  func dropUnreferenced(_ t: PostgresTransaction) throws {
    if ids.isEmpty { return }
    try t.run(
      """
      DELETE FROM stored_blob WHERE id = ANY($1)
        AND NOT EXISTS (SELECT 1 FROM photo WHERE photo.stored_blob = stored_blob.id)
        AND NOT EXISTS (SELECT 1 FROM photo WHERE photo.stored_preview = stored_blob.id)
      """, [.list(ids.values.sorted())])
  }

  /// Those of the pictures that a record refers to, by its fields or by its row.
  static func referenced(
    _ places: some Sequence<BlobPath>, _ t: PostgresTransaction
  ) throws -> Set<BlobPath> {
    let places = Array(Set(places))
    if places.isEmpty { return [] }
    let rows = try t.rows(
      """
      SELECT CASE asked.kind
        WHEN 'blobs' THEN EXISTS (SELECT 1 FROM photo
            WHERE "blobSHA256" = asked.sha256 AND "blobFormat" = asked.format)
          OR EXISTS (SELECT 1 FROM photo WHERE photo.stored_blob = known.id)
        ELSE EXISTS (SELECT 1 FROM photo
            WHERE "previewSHA256" = asked.sha256 AND "previewFormat" = asked.format)
          OR EXISTS (SELECT 1 FROM photo WHERE photo.stored_preview = known.id) END
      FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY
        AS asked (kind, sha256, format, number)
        LEFT JOIN stored_blob AS known
          ON (known.kind, known.sha256, known.format) = (asked.kind, asked.sha256, asked.format)
      ORDER BY number
      """, ObjectLines.lists(places))
    return Set(zip(places, rows).filter { $1.isTrue(0) }.map(\.0))
  }
}
