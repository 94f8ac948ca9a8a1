package import Foundation
package import PhotoAttachments

/// What verifying and repairing asks and changes.
extension PostgresCatalog {
  /// Every act of writing waits; a dry run only reads.
  package func hold<T>(
    dryRun: Bool, _ work: (any HeldRecords) throws(StoreError) -> T
  ) throws(StoreError) -> T {
    if dryRun {
      return try database.read { try work(Held(t: $0, pool: database.pool)) }
    }
    return try database.write(alone: true) { t in
      t.isTold = true
      return try work(Held(t: t, pool: database.pool))
    }
  }

  private struct Held: HeldRecords {
    let t: PostgresTransaction
    let pool: PostgresPool

    func photo(sequence: Int64) throws(StoreError) -> SealedRecord? {
      try told { try PhotoLines.fetchAll(t, "WHERE sequence = $1", [.int(sequence)]).first }
    }

    func isReferenced(_ place: BlobPath) throws(StoreError) -> Bool {
      try told { try !StoredBlobs.referenced([place], t).isEmpty }
    }

    func isReferenced(digest: String) throws(StoreError) -> Bool {
      try told {
        try t.rows(
          """
          SELECT EXISTS (SELECT 1 FROM photo WHERE "blobSHA256" = $1)
            OR EXISTS (SELECT 1 FROM photo WHERE "previewSHA256" = $1)
          """, [.text(digest)])[0].isTrue(0)
      }
    }

    private func told<T>(_ work: () throws -> T) throws(StoreError) -> T {
      do { return try work() } catch { throw pool.mapped(error) }
    }
  }

  package func damages() throws(StoreError) -> [EntryDamage] {
    try database.read { try EntryDamages(t: $0, origin: origin).all() }
  }

  package func problem(of entry: CatalogEntry) throws(StoreError) -> StoreProblem? {
    try database.read { try problem(of: entry, $0) }
  }

  private func problem(
    of entry: CatalogEntry, _ t: PostgresTransaction
  ) throws -> StoreProblem? {
    try EntryDamages(t: t, origin: origin).problem(of: entry)
  }

  package func replace(
    _ old: SealedRecord, by new: SealedRecord, showing pictures: SealedRecord.Pictures?,
    naming: () throws(StoreError) -> Bool
  ) throws(StoreError) -> Bool {
    let shown = [pictures?.blob.path, pictures?.preview.path].compactMap { $0 }
      .compactMap { BlobPath(relativePath: $0) }
    return try database.write { t in
      guard
        try PhotoLines.fetchAll(t, "WHERE sequence = $1 FOR UPDATE", [.int(old.sequence)]).first
          == old
      else { return false }
      let stored = try StoredBlobs.hold(new.places + shown, t)
      // Other photos with the same blob get the new one as well.
      if let pictures { try PhotoLines.show(pictures, by: old, stored, t) }
      try PhotoLines.update(new, from: old, stored, t)
      return try named(t, naming)
    }
  }

  package func remake(
    _ photo: SealedRecord, naming: () throws(StoreError) -> Bool
  ) throws(StoreError) -> Bool {
    try database.write { t in
      guard try problem(of: .library(photo: photo.id), t) == .reference else { return false }
      let stored = try StoredBlobs.hold(photo.places, t)
      try PhotoLines.insert([photo], stored, t)
      return try named(t, naming)
    }
  }

  /// Asks for the names of what was written; without them it has not happened.
  private func named(
    _ t: PostgresTransaction, _ naming: () throws(StoreError) -> Bool
  ) throws -> Bool {
    t.isTold = true
    let areNamed = try naming()
    t.isUndone = !areNamed
    return areNamed
  }

  package func letGo(_ entry: CatalogEntry, at now: Date) throws(StoreError) {
    try database.write { t in
      var line: AttachmentLine?
      if case .attachment(let draft) = entry { line = try AttachmentLine.lock(draft, t) }
      guard try problem(of: entry, t) == .reference else { return }
      switch entry {
      case .attachment(let draft):
        guard let gone = try line?.machine.photo else { return }
        _ = try apply(.forget(gone), to: draft, line, at: now, t)
      case .library(let photo):
        try t.run("DELETE FROM library_photo WHERE photo = $1", [.text(photo)])
      case .source(let path):
        try t.ask(
          PostgresQuestion(all: SourceLines.delete([Array(path)], origin: origin)))
      case .asset(let photo):
        try t.run("UPDATE photo SET \"assetIdentifier\" = NULL WHERE \"id\" = $1", [.text(photo)])
      case .other: break  // Not ours.
      }
    }
  }

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

  package func librarySeal(photo: String) throws(StoreError) -> String? {
    try database.ask("SELECT seal FROM library_photo WHERE photo = $1", [.text(photo)])
      .first?.text(0)
  }

  package func setPerceptualHash(_ hash: UInt64, photo: UUID) throws(StoreError) {
    let (id, number) = (photo.uuidString, Int64(bitPattern: hash))
    _ = try database.write { t in
      try t.run(
        "UPDATE library_photo SET perceptual_hash = $2, seal = $3 WHERE photo = $1",
        [.text(id), .int(number), .text(Seal.library(photo: id, perceptualHash: number))])
    }
  }

  package func originals(
    ids: [String], sha256: String?
  ) throws(StoreError) -> [NotedOriginal] {
    try database.ask(
      """
      SELECT path, sha256, COALESCE(tier IS NULL AND photo = ANY($1), false) AS is_source
      FROM source_file
      WHERE origin = $2 AND (photo = ANY($1) OR sha256 = $3)
      ORDER BY is_source DESC, path LIMIT 16
      """, [.list(ids), .text(origin), FieldValue(sha256)]
    ).compactMap { row in
      row.data(0).map {
        NotedOriginal(path: Array($0), sha256: row.text(1), isSource: row.isTrue(2))
      }
    }
  }

  package func originalDigests(photo: String) throws(StoreError) -> Set<String> {
    let rows = try database.ask(
      "SELECT DISTINCT sha256 FROM source_file WHERE photo = $1 AND sha256 IS NOT NULL",
      [.text(photo)])
    return Set(rows.compactMap { $0.text(0) })
  }

  package func missedPhotos() throws(StoreError) -> [String] {
    try database.read { try EntryDamages(t: $0, origin: origin).missedPhotos() }
  }
}
