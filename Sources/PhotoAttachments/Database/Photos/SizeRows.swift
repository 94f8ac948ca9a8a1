package import Foundation
import ImageContainers
package import PhotoIngestion

/// Sizes of photos (shrunk copies for screens), as rows of `photo_size`, which are deleted with their photo. Sizes can
/// be made again, so they have no seal and aren't moved to other stores.
extension Catalog {
  /// Returns the record of a size that was made from the photo's current blob; `nil` if there is no such record.
  package func size(
    _ name: SizeForm.Name, of photo: UUID
  ) throws(StoreError) -> StoredSize? {
    SizeRows.first(of: try database.rows(SizeRows.known, SizeRows.key(name, photo)), name)
  }

  /// Records a size and replaces its previous record (promise N of `Catalog`).
  ///
  /// - Parameters:
  ///   - blob: the digest of the blob that it was made from.
  ///   - naming: names the file and returns `true` if it exists.
  /// - Returns: `false` if nothing was recorded, because the photo is gone or has another blob, or because `naming`
  ///   returned `false`.
  package func record(
    _ size: RecordedPicture, _ name: SizeForm.Name, of photo: UUID, blob: String, at now: Date,
    naming: () throws -> Bool
  ) throws(StoreError) -> Bool {
    try database.write { t in
      // Locked, so that the photo can't be deleted before this commits.
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

  /// Records that a size was used.
  package func touch(
    _ name: SizeForm.Name, of photo: UUID, at now: Date
  ) throws(StoreError) {
    _ = try database.write { t in
      try t.execute(
        "UPDATE photo_size SET used_at = $4 WHERE photo = $1 AND max_side = $2 AND format = $3",
        SizeRows.key(name, photo) + [.int(now.milliseconds)])
    }
  }

  /// Releases the files of the least recently used sizes, until the other files take at most this many bytes. The
  /// digests stay on record. Equal sizes of several photos share one file but are counted separately.
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
        try t.execute(
          "UPDATE photo_size SET is_stored = 0 WHERE photo = $1 AND max_side = $2 AND format = $3",
          [row[0], row[1], row[2]])
      }
      return old.compactMap { SizeRows.place($0, from: 2) }
    }
  }
}

/// Rows of `photo_size`.
enum SizeRows {
  /// Returns the key of a row as `$1` to `$3`.
  static func key(_ name: SizeForm.Name, _ photo: UUID) -> [FieldValue] {
    [.text(photo.uuidString), FieldValue(name.maxSide), .text(name.format.rawValue)]
  }

  /// Writes a size and replaces its previous row.
  ///
  /// - Parameter blob: the digest of the blob that it was made from.
  static func write(
    _ size: MadeSize, of photo: UUID, blob: String, at now: Date, _ t: Transaction
  ) throws {
    try t.execute(
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

  /// SQL that selects a size by its key.
  static let known = """
    SELECT sha256, size_bytes, is_stored, used_at FROM photo_size
    JOIN photo ON photo."id" = photo_size.photo AND photo."blobSHA256" = photo_size.blob
    WHERE photo_size.photo = $1 AND max_side = $2 AND format = $3
    """

  /// Returns the size in rows of `known`; `nil` if there are no rows.
  static func first(of rows: [ResultRow], _ name: SizeForm.Name) -> StoredSize? {
    guard let row = rows.first, let digest = row.text(0), let bytes = row.number(1),
      let usedAt = row.number(3),
      let place = BlobPath(.size, sha256: digest, format: name.format)
    else { return nil }
    return StoredSize(
      picture: RecordedPicture(place, sizeBytes: Int(bytes)), isStored: row.isTrue(2),
      usedAt: Date(milliseconds: usedAt))
  }

  /// Returns the place of a size from its format and digest in a row, from `first` on.
  static func place(_ row: ResultRow, from first: Int) -> BlobPath? {
    BlobPath(.size, sha256: row.text(first + 1), format: row.text(first))
  }

  /// Returns the places of all sizes of a photo, including those whose file is gone.
  static func places(of photo: String) -> Query<[BlobPath]> {
    Query("SELECT format, sha256 FROM photo_size WHERE photo = $1", [.text(photo)]) { answer in
      answer.rows.compactMap { place($0, from: 0) }
    }
  }

  /// Returns those of the pictures that are stored sizes.
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

/// Identifies a size of a photo.
package struct PhotoSizeKey: Sendable, Hashable {
  package let photo: UUID
  package let name: SizeForm.Name

  package init(photo: UUID, name: SizeForm.Name) {
    self.photo = photo
    self.name = name
  }
}

/// A new size of a photo.
package struct MadeSize: Sendable {
  var name: SizeForm.Name
  var picture: RecordedPicture
}

/// A size on record.
package struct StoredSize: Sendable, Equatable {
  package var picture: RecordedPicture
  /// `true` if its file exists according to the record. The digest is known in any case.
  package var isStored: Bool
  /// The time when it was made or last used, accurate to the hour.
  package var usedAt: Date
}
