package import Foundation
import GRDB
package import PhotoAttachments

/// What verifying and repairing asks and changes.
extension SQLiteCatalog {
  /// A write transaction keeps everybody else from writing; a dry run only reads.
  package func hold<T>(
    dryRun: Bool, _ work: (any HeldRecords) throws(StoreError) -> T
  ) throws(StoreError) -> T {
    if dryRun { return try read { try work(Held(db: $0)) } }
    return try write { try work(Held(db: $0)) }
  }

  private struct Held: HeldRecords {
    let db: Database

    func photo(sequence: Int64) throws(StoreError) -> SealedRecord? {
      try told { try SealedRecord.fetch(db, sequence: sequence) }
    }

    func isReferenced(_ place: BlobPath) throws(StoreError) -> Bool {
      try told { try place.isReferenced(db) }
    }

    func isReferenced(digest: String) throws(StoreError) -> Bool {
      try told {
        try Bool.fetchOne(
          db,
          sql: """
            SELECT EXISTS (SELECT 1 FROM photo WHERE blobSHA256 = ?1)
              OR EXISTS (SELECT 1 FROM photo WHERE previewSHA256 = ?1)
            """, arguments: [digest]) ?? false
      }
    }

    private func told<T>(_ work: () throws -> T) throws(StoreError) -> T {
      do { return try work() } catch {
        throw StoreError(catalog: error, path: "", busySeconds: 0, errno: db.systemErrno)
      }
    }
  }

  package func damages() throws(StoreError) -> [EntryDamage] { try read(EntryDamages.all) }

  package func problem(of entry: CatalogEntry) throws(StoreError) -> StoreProblem? {
    try read { try EntryDamages.problem(of: entry, $0) }
  }

  package func replace(
    _ old: SealedRecord, by new: SealedRecord, showing pictures: SealedRecord.Pictures?,
    naming: () throws(StoreError) -> Bool
  ) throws(StoreError) -> Bool {
    try write { db in
      guard try SealedRecord.fetch(db, sequence: old.sequence) == old, try naming() else {
        return false
      }
      // Other photos with the same blob get the new one as well.
      if let pictures { try old.show(pictures, db) }
      try new.update(db, from: old)
      return true
    }
  }

  package func remake(
    _ photo: SealedRecord, naming: () throws(StoreError) -> Bool
  ) throws(StoreError) -> Bool {
    try write { db in
      guard try EntryDamages.problem(of: .library(photo: photo.id), db) == .reference,
        try naming()
      else { return false }
      try photo.insert(db)
      return true
    }
  }

  package func letGo(_ entry: CatalogEntry, at now: Date) throws(StoreError) {
    try write { db in
      guard try EntryDamages.problem(of: entry, db) == .reference else { return }
      switch entry {
      case .attachment(let draft):
        guard let gone = try AttachmentRow.fetch(db, draft: draft)?.machine.photo else { return }
        _ = try apply(.forget(gone), to: draft, at: now, db)
      case .library(let photo):
        try db.execute(sql: "DELETE FROM libraryPhoto WHERE photo = ?", arguments: [photo])
      case .source(let path): try SourceRecord.delete(db, path: path)
      case .asset(let photo):
        try db.execute(
          sql: "UPDATE photo SET assetIdentifier = NULL WHERE id = ?", arguments: [photo])
      case .other: break  // Not ours.
      }
    }
  }

  package func correctSource(path: Data) throws(StoreError) {
    try write { db in
      guard try EntryDamages.problem(of: .source(path: path), db) == .record else { return }
      try db.execute(
        sql: """
          UPDATE sourceFile
          SET sha256 = (SELECT sourceSHA256 FROM photo WHERE photo.id = sourceFile.photo)
          WHERE path = ?
          """, arguments: [path])
    }
  }

  package func librarySeal(photo: String) throws(StoreError) -> String? {
    try read {
      try String.fetchOne(
        $0, sql: "SELECT seal FROM libraryPhoto WHERE photo = ?", arguments: [photo])
    }
  }

  package func setPerceptualHash(_ hash: UInt64, photo: UUID) throws(StoreError) {
    try write { db in
      guard try LibraryRow.fetch(db, id: photo) != nil else { return }
      try LibraryRow(photo: photo.uuidString, perceptualHash: hash).update(db)
    }
  }

  package func originals(
    ids: [String], sha256: String?
  ) throws(StoreError) -> [NotedOriginal] {
    try read { db in
      let marks = databaseQuestionMarks(count: ids.count)
      return try Row.fetchAll(
        db,
        sql: """
          SELECT path, sha256,
            photo IS NOT NULL AND tier IS NULL AND photo IN (\(marks)) AS isSource
          FROM sourceFile
          WHERE photo IN (\(marks)) OR sha256 = ? ORDER BY isSource DESC, path LIMIT 16
          """, arguments: StatementArguments(ids + ids) + [sha256]
      ).map {
        NotedOriginal(
          path: Array($0["path"] as Data), sha256: $0["sha256"], isSource: $0["isSource"])
      }
    }
  }

  package func originalDigests(photo: String) throws(StoreError) -> Set<String> {
    try read {
      Set(
        try String.fetchAll(
          $0, sql: "SELECT sha256 FROM sourceFile WHERE photo = ? AND sha256 IS NOT NULL",
          arguments: [photo]))
    }
  }

  package func missedPhotos() throws(StoreError) -> [String] {
    try read { try EntryDamages.missedPhotos($0) }
  }
}
