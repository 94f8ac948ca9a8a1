package import Foundation

/// The lookups and changes of verification and repair.
extension Catalog {
  /// Runs `work` while other processes can't record, delete or publish pictures, so that a picture found to be damaged
  /// can be moved away. All other writing transactions wait.
  ///
  /// - Parameter dryRun: `true` if `work` moves nothing. It then only reads. In SQLite, the commits of other
  ///   transactions wait. In PostgreSQL, they don't.
  package func lock<T>(
    dryRun: Bool, _ work: (LockedRecords) throws -> T
  ) throws(StoreError) -> T {
    if dryRun { return try database.read { try work(LockedRecords(t: $0)) } }
    return try database.write(dryRun: false, alone: true) { t in
      t.hasSideEffects = true
      return try work(LockedRecords(t: t))
    }
  }

  /// Returns all entries that refer to missing rows or were altered.
  package func damages() throws(StoreError) -> [EntryDamage] {
    try database.read { try EntryDamages(t: $0, origin: origin).all() }
  }

  /// Returns the current problem with an entry; `nil` if it is intact.
  package func problem(of entry: CatalogEntry) throws(StoreError) -> StoreProblem? {
    try database.read { try problem(of: entry, $0) }
  }

  private func problem(of entry: CatalogEntry, _ t: Transaction) throws -> StoreProblem? {
    try EntryDamages(t: t, origin: origin).problem(of: entry)
  }

  /// Replaces a record, unless it has changed since it was read (promise N of `Catalog`).
  ///
  /// - Parameters:
  ///   - pictures: pictures that all other photos with the same old blob get, too. `nil` leaves those photos unchanged.
  ///   - naming: gives the new record's pictures their final names, in the transaction. Returns `false` if one of them
  ///     is missing. Then nothing is replaced.
  /// - Returns: `true` if the record was replaced.
  package func replace(
    _ old: SealedRecord, by new: SealedRecord, showing pictures: SealedRecord.Pictures?,
    naming: () throws -> Bool
  ) throws(StoreError) -> Bool {
    let shown = [pictures?.blob.path, pictures?.preview.path].compactMap { $0 }
      .compactMap { BlobPath(relativePath: $0) }
    return try database.write { t in
      let found = try PhotoRows.fetchAll(
        t, "WHERE sequence = $1\(t.dialect.forUpdate)", [.int(old.sequence)])
      guard found.first == old else { return false }
      let locked = try PhotoRows.lock(new.places + shown, t)
      // Other photos with the same blob get the new one too.
      let sharing = pictures == nil ? [] : try PhotoRows.selectSharing(old, t)
      guard try t.publish(naming) else { return false }
      if let pictures { try PhotoRows.assignPictures(pictures, by: sharing, locked, t) }
      try PhotoRows.update(new, from: old, locked, t)
      return true
    }
  }

  /// Records a photo again whose record is missing although a library entry refers to it (promise N of `Catalog`).
  ///
  /// - Returns: `true` if it was recorded; `false` if the entry is intact or gone, or if `naming` returned `false`.
  package func remake(
    _ photo: SealedRecord, naming: () throws -> Bool
  ) throws(StoreError) -> Bool {
    try database.write { t in
      guard try problem(of: .library(photo: photo.id), t) == .reference else { return false }
      let locked = try PhotoRows.lock(photo.places, t)
      guard try t.publish(naming) else { return false }
      try PhotoRows.insert([photo], locked, t)
      return true
    }
  }

  /// Removes the reference of an entry to something that is missing. A draft gets the state that it has without its
  /// photo. Other entries are deleted.
  package func letGo(_ entry: CatalogEntry, at now: Date) throws(StoreError) {
    try database.write { t in
      func isGone() throws -> Bool { try problem(of: entry, t) == .reference }
      if case .attachment(let draft) = entry {
        return try forgetPhoto(of: draft, at: now, t, where: isGone)
      }
      guard try isGone() else { return }
      switch entry {
      case .library(let photo):
        try t.execute("DELETE FROM library_photo WHERE photo = $1", [.text(photo)])
      case .source(let path):
        try t.execute(
          "DELETE FROM source_file WHERE origin = $1 AND path = $2", [.text(origin), .data(path)])
      case .asset(let photo):
        try t.execute(
          "UPDATE photo SET \"assetIdentifier\" = NULL WHERE \"id\" = $1", [.text(photo)])
      case .attachment, .other: break  // Not in these tables.
      }
    }
  }

  /// Copies the original's digest from a photo's record to the entry of the file that the photo was made from, if that
  /// entry has the problem `record`.
  package func correctSource(path: Data) throws(StoreError) {
    try database.write { t in
      guard try problem(of: .source(path: path), t) == .record else { return }
      try t.execute(
        """
        UPDATE source_file SET sha256 = (
          SELECT "sourceSHA256" FROM photo WHERE photo."id" = source_file.photo)
        WHERE origin = $1 AND path = $2
        """, [.text(origin), .data(path)])
    }
  }

  /// Returns the seal of a photo's library entry; `nil` if it has no entry.
  package func librarySeal(photo: String) throws(StoreError) -> String? {
    try database.rows("SELECT seal FROM library_photo WHERE photo = $1", [.text(photo)])
      .first?.text(0)
  }

  /// Replaces the perceptual hash of a library photo.
  package func setPerceptualHash(_ hash: UInt64, photo: UUID) throws(StoreError) {
    let id = photo.uuidString
    let number = Int64(bitPattern: hash)
    _ = try database.write { t in
      try t.execute(
        "UPDATE library_photo SET perceptual_hash = $2, seal = $3 WHERE photo = $1",
        [.text(id), .int(number), .text(Seal.library(photo: id, perceptualHash: number))])
    }
  }

  /// Returns at most 16 files that an import recorded for these photos, or that have this digest. Files that a photo
  /// was made from come first.
  package func originals(ids: [String], sha256: String?) throws(StoreError) -> [NotedOriginal] {
    let isOfOne = "photo \(database.dialect.among("$1"))"
    return try database.rows(
      """
      SELECT path, sha256, COALESCE(tier IS NULL AND \(isOfOne), false) AS is_source
      FROM source_file
      WHERE origin = $2 AND (\(isOfOne) OR sha256 = $3)
      ORDER BY is_source DESC, path LIMIT 16
      """, [.list(ids), .text(origin), FieldValue(sha256)]
    ).compactMap { row in
      row.data(0).map {
        NotedOriginal(path: Array($0), sha256: row.text(1), isSource: row.isTrue(2))
      }
    }
  }

  /// Returns the digests of all files that an import recorded for a photo.
  package func originalDigests(photo: String) throws(StoreError) -> Set<String> {
    let rows = try database.rows(
      "SELECT DISTINCT sha256 FROM source_file WHERE photo = $1 AND sha256 IS NOT NULL",
      [.text(photo)])
    return Set(rows.compactMap { $0.text(0) })
  }

  /// Returns the IDs of missing photos that attachments, library entries or rows of other tables refer to.
  package func missedPhotos() throws(StoreError) -> [String] {
    try database.read { try EntryDamages(t: $0, origin: origin).missedPhotos() }
  }
}

/// The records, while other transactions can't write.
package struct LockedRecords {
  fileprivate let t: Transaction

  /// Returns the photo with this sequence number.
  package func photo(sequence: Int64) throws(StoreError) -> SealedRecord? {
    try mapped { try PhotoRows.fetchAll(t, "WHERE sequence = $1", [.int(sequence)]).first }
  }

  /// Returns `true` if any record refers to this picture.
  package func isReferenced(_ place: BlobPath) throws(StoreError) -> Bool {
    try mapped { try !PhotoRows.selectReferenced([place], t).isEmpty }
  }

  /// Returns `true` if any photo's blob or preview has this digest.
  package func isReferenced(digest: String) throws(StoreError) -> Bool {
    try mapped {
      try t.rows(
        """
        SELECT EXISTS (SELECT 1 FROM photo WHERE "blobSHA256" = $1)
          OR EXISTS (SELECT 1 FROM photo WHERE "previewSHA256" = $1)
        """, [.text(digest)])[0].isTrue(0)
    }
  }

  private func mapped<T>(_ work: () throws -> T) throws(StoreError) -> T {
    do { return try work() } catch { throw t.sender.mapped(error) }
  }
}
