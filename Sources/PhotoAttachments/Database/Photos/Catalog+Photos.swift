package import Foundation

/// Lookups of photos, and deletion of pictures.
extension Catalog {
  /// Returns the photo with this ID.
  package func photo(id: String) throws(StoreError) -> SealedRecord? {
    try photos("WHERE \"id\" = $1", [.text(id)]).first
  }

  /// Returns the photo with this sequence number.
  package func photo(sequence: Int64) throws(StoreError) -> SealedRecord? {
    try photos("WHERE sequence = $1", [.int(sequence)]).first
  }

  /// Returns photos that were recorded before `sequence`, newest first.
  package func newest(_ limit: Int, before sequence: Int64) throws(StoreError) -> [SealedRecord] {
    try photos(
      "WHERE sequence < $1 ORDER BY sequence DESC LIMIT $2", [.int(sequence), FieldValue(limit)])
  }

  /// Returns photos that were recorded after `sequence`, oldest first.
  ///
  /// - Parameter attachedOnly: `true` to leave out photos that only the library refers to.
  package func page(
    after sequence: Int64, limit: Int, attachedOnly: Bool
  ) throws(StoreError) -> [SealedRecord] {
    let attached = """
      AND (EXISTS (SELECT 1 FROM attachment WHERE attachment.photo = photo."id")
        OR NOT EXISTS (SELECT 1 FROM library_photo WHERE library_photo.photo = photo."id"))
      """
    return try photos(
      "WHERE sequence > $1 \(attachedOnly ? attached : "") ORDER BY sequence LIMIT $2",
      [.int(sequence), FieldValue(limit)])
  }

  private func photos(
    _ condition: String, _ values: [FieldValue]
  ) throws(StoreError) -> [SealedRecord] {
    try database.rows(PhotoRows.select(condition), values).compactMap { PhotoRows.record($0) }
  }

  /// Returns the sorted IDs of photos that begin with this text, at most `limit`.
  package func ids(beginning text: String, limit: Int) throws(StoreError) -> [String] {
    // A range uses the index of IDs, which LIKE doesn't. No character of an ID sorts after `~`.
    try database.rows(
      "SELECT \"id\" FROM photo WHERE \"id\" >= $1 AND \"id\" < $2 ORDER BY \"id\" LIMIT $3",
      [.text(text), .text(text + "~"), FieldValue(limit)]
    ).compactMap { $0.text(0) }
  }

  /// Returns library photos whose perceptual hashes differ from the hash of this one in at most `distance` bits, most
  /// similar first.
  ///
  /// - Throws: `StoreError.missingPhoto` if the library has no such photo.
  package func similar(
    to id: UUID, distance: Int, limit: Int
  ) throws(StoreError) -> [(photo: SealedRecord, distance: Int)] {
    try database.read { t in
      let own = try t.rows(
        "SELECT perceptual_hash FROM library_photo WHERE photo = $1", [.text(id.uuidString)])
      guard let hash = own.first?.number(0) else { throw StoreError.missingPhoto }
      return try t.rows(
        """
        SELECT bits, \(PhotoRows.columns) FROM (
          SELECT photo, \(t.dialect.differingBits("perceptual_hash", "$1")) AS bits
          FROM library_photo WHERE photo <> $2
        ) AS other JOIN photo ON photo."id" = other.photo
        WHERE bits <= $3 ORDER BY bits, other.photo LIMIT $4
        """, [.int(hash), .text(id.uuidString), FieldValue(distance), FieldValue(max(0, limit))]
      ).compactMap { row in
        guard let bits = row.number(0), let photo = PhotoRows.record(row, from: 1) else {
          return nil
        }
        return (photo, Int(bits))
      }
    }
  }

  /// Returns those of the pictures that no record refers to.
  package func selectUnreferenced(_ places: [BlobPath]) throws(StoreError) -> [BlobPath] {
    try database.read { t in
      let referenced = try PhotoRows.selectReferenced(places, t)
      return places.filter { !referenced.contains($0) }
    }
  }

  /// Deletes those of the pictures that no record refers to (promise D). Works in small batches, so that other
  /// transactions don't wait for long. The pictures are locked while they are deleted. A transaction that records one
  /// of them waits, then finds it gone.
  ///
  /// - Parameter deleting: deletes a picture and returns the number of freed bytes; `nil` if it didn't exist.
  package func release(
    _ places: [BlobPath], deleting: (BlobPath) throws -> Int?
  ) throws(StoreError) -> (files: Int, bytes: Int) {
    var removed = (files: 0, bytes: 0)
    for some in PhotoRows.groups(try selectUnreferenced(places), of: 64) {
      try database.write { t in
        let locked = try PhotoRows.lock(some, t)
        let referenced = try PhotoRows.selectReferenced(some, t)
        try t.fetch(Query(asking: t.dialect.dropping(locked) + t.dialect.waiting))
        t.hasSideEffects = true
        for place in some where !referenced.contains(place) {
          guard let bytes = try deleting(place) else { continue }
          removed.files += 1
          removed.bytes += bytes
        }
      }
    }
    return removed
  }

  /// Returns `true` if pictures may be older than the catalog, because it was lost or replaced by an earlier copy.
  /// Sweeps then keep pictures without a record.
  package func mayLackRecordsOfPictures() throws(StoreError) -> Bool {
    // If the row is missing, pictures without a record must be kept.
    try database.rows("SELECT found_pictures FROM store").first?.isTrue(0) ?? true
  }
}
