package import Foundation

/// What verifying and repairing asks and changes.
extension Catalog {
  /// Runs `work` while no other process records, deletes or publishes a picture, so that what it finds damaged
  /// can be moved away. Every other transaction that writes waits; a dry run only reads. Where a name never
  /// stands for a second object, nothing has to be locked.
  ///
  /// - Parameter dryRun: `work` moves nothing, so that transactions that name pictures need not wait.
  package func lock<T>(
    dryRun: Bool, _ work: (LockedRecords) throws -> T
  ) throws(StoreError) -> T {
    if dryRun { return try database.read { try work(LockedRecords(t: $0)) } }
    return try database.write(dryRun: false, alone: true) { t in
      t.hasSideEffects = true
      return try work(LockedRecords(t: t))
    }
  }

  package func damages() throws(StoreError) -> [EntryDamage] {
    try database.read { try EntryDamages(t: $0, origin: origin).all() }
  }

  /// What is wrong with an entry now, nil when nothing is.
  package func problem(of entry: CatalogEntry) throws(StoreError) -> StoreProblem? {
    try database.read { try problem(of: entry, $0) }
  }

  private func problem(of entry: CatalogEntry, _ t: Transaction) throws -> StoreProblem? {
    try EntryDamages(t: t, origin: origin).problem(of: entry)
  }

  /// Puts one record in the place of another, unless that has changed (promise N).
  ///
  /// - Parameters:
  ///   - pictures: what every other photo shows from now on that shares the old one's blob.
  ///   - naming: says whether the new record's pictures are there.
  /// - Returns: whether it was done.
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
      // Other photos with the same blob get the new one as well.
      let sharing = pictures == nil ? [] : try PhotoRows.sharing(old, t)
      guard try t.publish(naming) else { return false }
      if let pictures { try PhotoRows.show(pictures, by: sharing, locked, t) }
      try PhotoRows.update(new, from: old, locked, t)
      return true
    }
  }

  /// Records a photo that an entry of the library still names (promise N).
  ///
  /// - Returns: whether it was done; not, when that entry is in order or gone, or `naming` says no.
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

  /// Lets go of what an entry points at, when that is not there: the draft becomes what it is
  /// without its photo, other entries end.
  package func letGo(_ entry: CatalogEntry, at now: Date) throws(StoreError) {
    try database.write { t in
      func isGone() throws -> Bool { try problem(of: entry, t) == .reference }
      if case .attachment(let draft) = entry {
        return try forgetPhoto(of: draft, at: now, t, where: isGone)
      }
      guard try isGone() else { return }
      switch entry {
      case .library(let photo):
        try t.run("DELETE FROM library_photo WHERE photo = $1", [.text(photo)])
      case .source(let path):
        try t.run(
          "DELETE FROM source_file WHERE origin = $1 AND path = $2", [.text(origin), .data(path)])
      case .asset(let photo):
        try t.run("UPDATE photo SET \"assetIdentifier\" = NULL WHERE \"id\" = $1", [.text(photo)])
      case .attachment, .other: break  // Not of our tables.
      }
    }
  }

  /// Notes the digest of the photo's original with the file that it was made from.
  package func correctSource(path: Data) throws(StoreError) {
    try database.write { t in
      guard try problem(of: .source(path: path), t) == .record else { return }
      try t.run(
        """
        UPDATE source_file SET sha256 = (
          SELECT "sourceSHA256" FROM photo WHERE photo."id" = source_file.photo)
        WHERE origin = $1 AND path = $2
        """, [.text(origin), .data(path)])
    }
  }

  /// The seal on a photo's entry in the library, nil when there is none.
  package func librarySeal(photo: String) throws(StoreError) -> String? {
    try database.rows("SELECT seal FROM library_photo WHERE photo = $1", [.text(photo)])
      .first?.text(0)
  }

  /// Writes the perceptual hash of a library photo anew.
  package func setPerceptualHash(_ hash: UInt64, photo: UUID) throws(StoreError) {
    let id = photo.uuidString
    let number = Int64(bitPattern: hash)
    _ = try database.write { t in
      try t.run(
        "UPDATE library_photo SET perceptual_hash = $2, seal = $3 WHERE photo = $1",
        [.text(id), .int(number), .text(Seal.library(photo: id, perceptualHash: number))])
    }
  }

  /// Files that an import noted as originals of these photos, or that have this digest; those that a
  /// photo was made from first, at most 16.
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

  /// Digests of all files that an import noted for a photo.
  package func originalDigests(photo: String) throws(StoreError) -> Set<String> {
    let rows = try database.rows(
      "SELECT DISTINCT sha256 FROM source_file WHERE photo = $1 AND sha256 IS NOT NULL",
      [.text(photo)])
    return Set(rows.compactMap { $0.text(0) })
  }

  package func missedPhotos() throws(StoreError) -> [String] {
    try database.read { try EntryDamages(t: $0, origin: origin).missedPhotos() }
  }
}

/// What is asked while no other transaction writes.
package struct LockedRecords {
  fileprivate let t: Transaction

  /// The photo that was recorded under this number.
  package func photo(sequence: Int64) throws(StoreError) -> SealedRecord? {
    try mapped { try PhotoRows.fetchAll(t, "WHERE sequence = $1", [.int(sequence)]).first }
  }

  /// Whether any record refers to this picture.
  package func isReferenced(_ place: BlobPath) throws(StoreError) -> Bool {
    try mapped { try !PhotoRows.referenced([place], t).isEmpty }
  }

  /// Whether any photo's blob or preview has this digest.
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
