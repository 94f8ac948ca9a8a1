import Foundation
import ImageContainers
import PhotoAttachments

/// Photos' records as rows of the table `photo`.
enum PhotoLines {
  private static let names = SealedRecord.columns
  /// What `record` reads, in its order.
  static let columns =
    (["sequence"] + names).map { "photo.\"\($0)\"" }.joined(separator: ", ")

  /// The record in a row's columns from `first` on; nil where a join found none.
  static func record(_ row: PostgresRow, from first: Int = 0) -> SealedRecord? {
    guard let sequence = row.number(first) else { return nil }
    var fields: [String: FieldValue] = [:]
    fields.reserveCapacity(names.count)
    for (index, name) in names.enumerated() { fields[name] = row[first + 1 + index] }
    return SealedRecord(sequence: sequence, fields: fields)
  }

  /// The photos of a condition.
  static func fetchAll(
    _ t: PostgresTransaction, _ condition: String, _ values: [FieldValue]
  ) throws -> [SealedRecord] {
    try t.rows("SELECT \(columns) FROM photo \(condition)", values).compactMap { record($0) }
  }

  /// The photo with this id.
  static func fetch(_ t: PostgresTransaction, id: String) throws -> SealedRecord? {
    try fetchAll(t, "WHERE \"id\" = $1", [.text(id)]).first
  }

  /// Records photos whose pictures are `stored`.
  static func insert(
    _ photos: [SealedRecord], _ stored: StoredBlobs, _ t: PostgresTransaction
  ) throws {
    try t.ask(PostgresQuestion(all: insertion(photos, stored)))
  }

  /// What records photos whose pictures are `stored`.
  static func insertion(
    _ photos: [SealedRecord], _ stored: StoredBlobs
  ) -> [PostgresQuestion<Void>] {
    let all = names.map { "\"\($0)\"" } + ["stored_blob", "stored_preview"]
    // As many rows a statement as keep it below the 65,535 values that there may be.
    return stride(from: 0, to: photos.count, by: 500).map { start in
      let some = photos[start..<min(start + 500, photos.count)]
      var (values, marks) = ([FieldValue](), [String]())
      for photo in some {
        let first = values.count
        values += names.map { photo.fields[$0] ?? .null }
        values += BlobPath.Kind.allCases.map { FieldValue(photo.place($0).flatMap(stored.id)) }
        marks.append(
          "(" + all.indices.map { "$\(first + $0 + 1)" }.joined(separator: ", ") + ")")
      }
      return PostgresQuestion(
        """
        INSERT INTO photo (\(all.joined(separator: ", "))) VALUES \(marks.joined(separator: ", "))
        """, values, isRepeated: some.count == 1)
    }
  }

  /// Writes fields that differ from those of `old`.
  static func update(
    _ photo: SealedRecord, from old: SealedRecord, _ stored: StoredBlobs, _ t: PostgresTransaction
  ) throws {
    var changes = photo.fields.filter { old.fields[$0.key] != $0.value }
      .sorted { $0.key < $1.key }.map { ("\"\($0.key)\"", $0.value) }
    for kind in BlobPath.Kind.allCases where photo.place(kind) != old.place(kind) {
      changes.append(
        ("stored_\(kind.column)", FieldValue(photo.place(kind).flatMap(stored.id))))
    }
    if changes.isEmpty { return }
    let assignments = changes.enumerated().map { "\($1.0) = $\($0 + 2)" }
    try t.run(
      "UPDATE photo SET \(assignments.joined(separator: ", ")) WHERE sequence = $1",
      [.int(old.sequence)] + changes.map(\.1), isRepeated: false)
  }

  /// Lets a photo show other pictures, and with it every photo whose blob is the same file. The new
  /// files are there already; the old ones are to be given up after the commit.
  static func show(
    _ pictures: SealedRecord.Pictures, by old: SealedRecord, _ stored: StoredBlobs,
    _ t: PostgresTransaction
  ) throws {
    let sharing = try fetchAll(
      t, "WHERE \"blobSHA256\" = $1 AND \"blobFormat\" = $2 ORDER BY sequence FOR UPDATE",
      [old.fields["blobSHA256"] ?? .null, old.fields["blobFormat"] ?? .null])
    for photo in sharing where photo.isSealed {
      try update(photo.showing(pictures).sealedAnew, from: photo, stored, t)
    }
  }

  /// Deletes a photo that no draft, no entry of the library and no announcement refers to any more.
  ///
  /// - Returns: its places, for the files to be given up after the commit.
  static func deleteUnreferenced(_ id: String, _ t: PostgresTransaction) throws -> [BlobPath] {
    // Locked first: else two who give it up at once would each see the other's reference.
    guard let photo = try fetchAll(t, "WHERE \"id\" = $1 FOR UPDATE", [.text(id)]).first else {
      return []
    }
    let deleted = try t.run(
      """
      DELETE FROM photo WHERE "id" = $1
        AND NOT EXISTS (SELECT 1 FROM attachment WHERE photo = $1)
        AND NOT EXISTS (SELECT 1 FROM library_photo WHERE photo = $1)
        AND NOT EXISTS (SELECT 1 FROM announcement WHERE photo_id = $1)
      """, [.text(id)])
    return deleted > 0 ? photo.places : []
  }
}

extension RecordedPicture {
  /// A photo's blob in three columns of a row from `first` on: digest, format, size.
  init?(_ row: PostgresRow, from first: Int) {
    guard let digest = row.text(first), let size = row.number(first + 2),
      let format = row.text(first + 1).flatMap(ImageFormat.init(rawValue:)),
      let place = BlobPath(.blob, sha256: digest, format: format)
    else { return nil }
    self.init(place, sizeBytes: Int(size))
  }
}
