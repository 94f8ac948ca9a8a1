package import Foundation
import ImageContainers
package import PhotoIngestion

/// Sizes of photos, as rows of `photo_size`, which go with their photo. They can be made again, so they
/// have no seal and stay behind in a move.
extension Catalog {
  /// What is on record of a size that was made of the blob that its photo has now; nil when nothing is.
  package func size(
    _ name: SizeForm.Name, of photo: UUID
  ) throws(StoreError) -> StoredSize? {
    SizeRows.first(of: try database.rows(SizeRows.known, SizeRows.key(name, photo)), name)
  }

  /// Records a size in the place of what was known of it (promise N of `Catalog`).
  ///
  /// - Parameters:
  ///   - blob: digest of the blob that it was made of.
  ///   - naming: says whether it is there.
  /// - Returns: false, and nothing is recorded, when the photo is gone or shows another blob, or `naming`
  ///   says no.
  package func record(
    _ size: RecordedPicture, _ name: SizeForm.Name, of photo: UUID, blob: String, at now: Date,
    naming: () throws -> Bool
  ) throws(StoreError) -> Bool {
    try database.write { t in
      // Locked, so that it goes after this or not at all.
      let found = try t.rows(
        "SELECT 1 FROM photo WHERE \"id\" = $1 AND \"blobSHA256\" = $2\(t.dialect.forKeyShare)",
        [.text(photo.uuidString), .text(blob)])
      if found.isEmpty { return false }
      _ = try PhotoRows.lock([size.place], t)
      t.hasSideEffects = true
      guard try naming() else {
        t.rollsBack = true
        return false
      }
      try SizeRows.write(MadeSize(name: name, picture: size), of: photo, blob: blob, at: now, t)
      return true
    }
  }

  /// Notes that a size was used.
  package func touch(
    _ name: SizeForm.Name, of photo: UUID, at now: Date
  ) throws(StoreError) {
    _ = try database.write { t in
      try t.run(
        "UPDATE photo_size SET used_at = $4 WHERE photo = $1 AND max_side = $2 AND format = $3",
        SizeRows.key(name, photo) + [.int(now.milliseconds)])
    }
  }

  /// Gives up the files of those sizes that were not used for longest, so that the files of the others
  /// have so many bytes at most; their digests stay on record. Equal sizes of several photos are one file
  /// and count as often.
  ///
  /// - Parameter dryRun: only counts.
  /// - Returns: pictures that no record needs any more.
  package func trimSizes(to bytes: Int, dryRun: Bool) throws(StoreError) -> [BlobPath] {
    try database.write(dryRun: dryRun) { t in
      let old = try t.rows(
        """
        SELECT photo, max_side, format, sha256 FROM (
          SELECT photo, max_side, format, sha256,
            SUM(size_bytes) OVER (ORDER BY used_at DESC, photo, max_side, format) AS bytes
          FROM photo_size WHERE is_stored = 1
        ) AS newer WHERE bytes > $1
        """, [FieldValue(bytes)])
      for row in old {
        try t.run(
          "UPDATE photo_size SET is_stored = 0 WHERE photo = $1 AND max_side = $2 AND format = $3",
          [row[0], row[1], row[2]])
      }
      return old.compactMap { SizeRows.place($0, from: 2) }
    }
  }
}

/// Rows of `photo_size`.
enum SizeRows {
  /// The key of a row as `$1` to `$3`.
  static func key(_ name: SizeForm.Name, _ photo: UUID) -> [FieldValue] {
    [.text(photo.uuidString), FieldValue(name.maxSide), .text(name.format.rawValue)]
  }

  /// Writes a size in the place of what was known of it.
  ///
  /// - Parameter blob: digest of the blob that it was made of.
  static func write(
    _ size: MadeSize, of photo: UUID, blob: String, at now: Date, _ t: Transaction
  ) throws {
    try t.run(
      """
      INSERT INTO photo_size (photo, max_side, format, blob, sha256, size_bytes, is_stored, used_at)
      VALUES ($1, $2, $3, $4, $5, $6, 1, $7)
      ON CONFLICT (photo, max_side, format) DO UPDATE SET blob = $4, sha256 = $5, size_bytes = $6,
        is_stored = 1, used_at = $7
      """,
      key(size.name, photo) + [
        .text(blob), .text(size.picture.place.sha256), FieldValue(size.picture.sizeBytes),
        .int(now.milliseconds),
      ])
  }

  /// SQL for what is known of the size of a key.
  static let known = """
    SELECT sha256, size_bytes, is_stored, used_at FROM photo_size
    JOIN photo ON photo."id" = photo_size.photo AND photo."blobSHA256" = photo_size.blob
    WHERE photo_size.photo = $1 AND max_side = $2 AND format = $3
    """

  /// The size that rows of `known` name, nil when there is none.
  static func first(of rows: [ResultRow], _ name: SizeForm.Name) -> StoredSize? {
    guard let row = rows.first, let digest = row.text(0), let bytes = row.number(1),
      let usedAt = row.number(3),
      let place = BlobPath(.size, sha256: digest, format: name.format)
    else { return nil }
    return StoredSize(
      picture: RecordedPicture(place, sizeBytes: Int(bytes)), isStored: row.isTrue(2),
      usedAt: Date(milliseconds: usedAt))
  }

  /// Where the size lies whose format and digest stand in a row from `first` on.
  static func place(_ row: ResultRow, from first: Int) -> BlobPath? {
    BlobPath(.size, sha256: row.text(first + 1), format: row.text(first))
  }

  /// Where a photo's sizes lie, also those that are gone.
  static func places(of photo: String, _ t: Transaction) throws -> [BlobPath] {
    try t.rows("SELECT format, sha256 FROM photo_size WHERE photo = $1", [.text(photo)])
      .compactMap { place($0, from: 0) }
  }

  /// Those of the pictures that are sizes on record.
  static func referenced(
    _ pictures: Set<BlobPath>, _ dialect: Dialect
  ) -> Query<[BlobPath]> {
    let asked = pictures.filter { $0.kind == .size }
    if asked.isEmpty { return Query(known: []) }
    return Query(
      """
      SELECT DISTINCT format, sha256 FROM photo_size
      WHERE is_stored = 1 AND sha256 \(dialect.among("$1"))
      """, [.list(Set(asked.map(\.sha256)).sorted())]
    ) { $0.rows.compactMap { place($0, from: 0) } }
  }
}

/// Which size of which photo.
package struct PhotoSizeKey: Sendable, Hashable {
  package let photo: UUID
  package let name: SizeForm.Name

  package init(photo: UUID, name: SizeForm.Name) {
    self.photo = photo
    self.name = name
  }
}

/// A size of a photo that was made.
package struct MadeSize: Sendable {
  var name: SizeForm.Name
  var picture: RecordedPicture
}

/// A size on record.
package struct StoredSize: Sendable, Equatable {
  package var picture: RecordedPicture
  /// Whether its file is there by the record, which says the digest in any case.
  package var isStored: Bool
  /// When it was made or last known to be used, to the hour.
  package var usedAt: Date
}
