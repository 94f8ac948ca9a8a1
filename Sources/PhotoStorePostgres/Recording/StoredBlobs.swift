import ImageContainers
import PhotoAttachments

/// Rows of `stored_blob` that a transaction holds: until it ends nobody else records those pictures,
/// gives them up or deletes them.
struct StoredBlobs {
  private var ids: [BlobPath: Int64] = [:]

  private init(_ ids: [BlobPath: Int64] = [:]) { self.ids = ids }

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
    let places = Set(places)
    return places.isEmpty ? StoredBlobs() : try t.ask(holding(places))
  }

  /// What holds the rows of these pictures.
  static func holding(_ places: Set<BlobPath>) -> PostgresQuestion<StoredBlobs> {
    let places = places.sorted { $0.relativePath < $1.relativePath }
    return PostgresQuestion(
      """
      INSERT INTO stored_blob (kind, sha256, format)
      SELECT * FROM unnest($1::text[], $2::text[], $3::text[])
      ON CONFLICT (kind, sha256, format) DO UPDATE SET held_at = now()
      RETURNING sha256, kind, format, id
      """, ObjectLines.lists(places)
    ) { StoredBlobs($0.rows) }
  }

  /// These and the rows of more pictures.
  func holding(
    also places: some Sequence<BlobPath>, _ t: PostgresTransaction
  ) throws -> StoredBlobs {
    let more = try Self.hold(places.filter { ids[$0] == nil }, t)
    return StoredBlobs(ids.merging(more.ids) { own, _ in own })
  }

  /// Takes away those rows that no photo refers to.
  func dropUnreferenced(_ t: PostgresTransaction) throws {
    if !ids.isEmpty { try t.ask(droppingUnreferenced) }
  }

  /// What takes them away.
  var droppingUnreferenced: PostgresQuestion<Void> {
    PostgresQuestion(
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
    let places = Set(places)
    return places.isEmpty ? [] : try t.ask(referenced(places))
  }

  /// The same as a question.
  static func referenced(_ places: Set<BlobPath>) -> PostgresQuestion<Set<BlobPath>> {
    let places = Array(places)
    return PostgresQuestion(
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
      """, ObjectLines.lists(places)
    ) { answer in Set(zip(places, answer.rows).filter { $1.isTrue(0) }.map(\.0)) }
  }
}
