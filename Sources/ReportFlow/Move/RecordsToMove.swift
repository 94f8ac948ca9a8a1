import Announcements
package import Foundation
package import PhotoAttachments

/// Reads and writes all rows of a database for a move, except photos, which the catalog pages through. Existing rows
/// don't change, apart from erasures and the store's secret. Calls block, and each call that writes is one transaction.
package struct RecordsToMove: Sendable {
  private let catalog: Catalog
  private let isSnapshot: Bool
  private var database: any RecordsDatabase { catalog.database }

  /// - Parameter isSnapshot: `true` to leave out the word index, which a restore creates again.
  package init(_ photos: PhotoAttachmentCache, isSnapshot: Bool = false) {
    catalog = photos.catalog
    self.isSnapshot = isSnapshot
  }

  /// Returns rows of a kind in its order, starting after `place`. Returns files only if they belong to this machine.
  package func rows(
    _ kind: MovedKind, after place: [FieldValue]?, limit: Int
  ) throws(StoreError) -> [MovedRow] {
    let order = kind.order.joined(separator: ", ")
    return try database.read { t in
      try rows(kind, suffix: "ORDER BY \(order) LIMIT \(limit)", place ?? [], t) { first in
        place.map { "(\(order)) > (\(Self.marks($0.count, from: first)))" }
      }
    }
  }

  /// Returns the number of erasure marks.
  package func erasureCount() throws(StoreError) -> Int64 {
    try database.rows("SELECT count(*) FROM erasure").first?.number(0) ?? 0
  }

  /// Returns `true` if there is a photo or an announcement.
  package func hasContent() throws(StoreError) -> Bool {
    try !database.rows("SELECT 1 FROM photo UNION ALL SELECT 1 FROM announcement LIMIT 1").isEmpty
  }

  /// Records that the restore of a snapshot begins, or continues after an interruption.
  ///
  /// - Returns: `false` if something other than this restore was ever recorded here.
  /// - Throws: `StoreError.backup(.otherRestore)` if the restore of another snapshot has not ended.
  package func beginRestore(of snapshot: String) throws(StoreError) -> Bool {
    try database.write(dryRun: false, alone: true) { t in
      if let other = try Catalog.snapshotUnderWay(t) {
        guard other == snapshot else { throw StoreError.backup(.otherRestore, path: other) }
        return true
      }
      let tables = MovedKind.allCases.map(\.table.name) + ["photo"]
      let isEmpty = try tables.allSatisfy { try t.rows("SELECT 1 FROM \($0) LIMIT 1").isEmpty }
      guard isEmpty else { return false }
      try t.execute(
        "INSERT INTO regular_job (name, succeeded_at) VALUES ($1, 0)",
        [.text("restore \(snapshot)")])
      return true
    }
  }

  /// Records that the restore of a snapshot has ended.
  package func endRestore(of snapshot: String) throws(StoreError) {
    _ = try database.write { t in
      try t.execute("DELETE FROM regular_job WHERE name = $1", [.text("restore \(snapshot)")])
    }
  }

  /// Returns `true` if backups were written to this folder of this machine.
  package func hasBackups(in path: String) throws(StoreError) -> Bool {
    try !database.rows(
      "SELECT 1 FROM regular_job WHERE name = $1", [.text(backupName(path))]
    ).isEmpty
  }

  /// Records that backups are written to this folder of this machine.
  package func noteBackups(in path: String) throws(StoreError) {
    _ = try database.write { t in
      try t.execute(
        "INSERT INTO regular_job (name, succeeded_at) VALUES ($1, 0) ON CONFLICT DO NOTHING",
        [.text(backupName(path))])
    }
  }

  private func backupName(_ path: String) -> String {
    "backups \(catalog.origin(of: Array(path.utf8))) \(path)"
  }

  /// Returns the rows that have one of these keys.
  package func rows(_ kind: MovedKind, keys: [[FieldValue]]) throws(StoreError) -> [MovedRow] {
    if keys.isEmpty { return [] }
    return try database.read { try rows(kind, keys: keys, $0) }
  }

  private func rows(
    _ kind: MovedKind, keys: [[FieldValue]], _ t: Transaction
  ) throws -> [MovedRow] {
    try rows(kind, suffix: "", Array(keys.joined()), t) { first in
      if kind.key.count == 1 { return "\(kind.key[0]) IN (\(Self.marks(keys.count, from: first)))" }
      let width = kind.key.count
      let rows = keys.indices.map { "(\(Self.marks(width, from: first + $0 * width)))" }
      return "(\(kind.key.joined(separator: ", "))) IN (VALUES \(rows.joined(separator: ", ")))"
    }
  }

  private static func marks(_ count: Int, from first: Int) -> String {
    (first..<first + count).map { "$\($0)" }.joined(separator: ", ")
  }

  /// Selects rows. Leaves out files of other machines, because their paths mean nothing here.
  ///
  /// - Parameter condition: returns the SQL condition, given the number of its first placeholder.
  private func rows(
    _ kind: MovedKind, suffix: String, _ values: [FieldValue], _ t: Transaction,
    _ condition: (Int) -> String?
  ) throws -> [MovedRow] {
    let table = MovedTable(kind)
    let origins = [.files, .roots].contains(kind) ? catalog.origins.map(FieldValue.text) : []
    let own = origins.isEmpty ? nil : "origin IN (\(Self.marks(origins.count, from: 1)))"
    let conditions = [own, condition(origins.count + 1)].compactMap { $0 }
    let filter = conditions.isEmpty ? "" : "WHERE " + conditions.joined(separator: " AND ")
    return try t.rows(
      "SELECT \(table.reading) FROM \(table.name) \(filter) \(suffix)", origins + values
    ).map { MovedRow(kind, $0.values) }
  }

  /// Returns the rows that were erased here or belong to something that was (decision 44).
  package func selectErased(
    _ rows: [MovedRow], of kind: MovedKind
  ) throws(StoreError) -> [MovedRow] {
    try database.read { try Self.selectErased(rows, of: kind, $0) }
  }

  private static func selectErased(
    _ rows: [MovedRow], of kind: MovedKind, _ t: Transaction
  ) throws -> [MovedRow] {
    let found = try t.fetch(Erasures.among(rows.flatMap { $0.marks(kind) }, t.dialect))
    return rows.filter { !found.isDisjoint(with: $0.marks(kind)) }
  }

  /// Returns the IDs of the photos that were erased here.
  package func selectErased(photos ids: [String]) throws(StoreError) -> Set<String> {
    try database.read { try Self.selectErased(photos: ids, $0) }
  }

  private static func selectErased(photos ids: [String], _ t: Transaction) throws -> Set<String> {
    let found = try t.fetch(Erasures.among(ids.map(ErasureMark.photo), t.dialect))
    return Set(ids.filter { found.contains(ErasureMark.photo($0)) })
  }

  /// Inserts rows whose keys are new. Skips a row that was erased here, refers to a missing row, or breaks a rule
  /// between rows (one listed announcement for each chip). An erasure mark also deletes the record that it marks, in
  /// the same transaction.
  ///
  /// - Returns: the pictures to release, and the number of photos, drafts and announcements that were erased.
  package func add(
    _ rows: [MovedRow], to kind: MovedKind
  ) throws(StoreError) -> (gone: [BlobPath], erased: Int) {
    if kind == .erasures { return try erase(Set(rows.compactMap { $0.fields["mark"]?.text })) }
    let table = MovedTable(kind)
    try database.write { t in
      try t.lock(.newRecords)
      let erased = try Self.selectErased(rows, of: kind, t)
      var new = rows.filter { !erased.contains($0) }
      if kind == .announcements {
        try Self.freeShortCodes(of: &new, t)
        if !isSnapshot { Self.updateSearchTexts(of: &new) }
      }
      try t.fetch(
        Query(
          all: new.map { row in
            table.insertion(row, t.dialect) { catalog.origin(of: Array($0)) }
          }))
      guard kind == .announcements, !isSnapshot else { return }
      for row in new {
        guard let id = row.fields["id"]?.text, let text = row.fields["search"]?.text,
          let species = row.fields["species"]?.text
        else { continue }
        try AnnouncementWords.write(of: id, text, species, t)
      }
    }
    return ([], 0)
  }

  /// Assigns new short codes to announcements whose code is taken by another announcement here.
  private static func freeShortCodes(of rows: inout [MovedRow], _ t: Transaction) throws {
    for index in rows.indices {
      guard let code = rows[index].fields["short_code"], let id = rows[index].fields["id"] else {
        continue
      }
      let others = try t.rows(
        "SELECT 1 FROM announcement WHERE short_code = $1 AND id <> $2", [code, id])
      if others.isEmpty { continue }
      rows[index].fields["short_code"] = .text(try AnnouncementStore.freeShortCode(t))
    }
  }

  /// Replaces the search texts, which another version may have written. Closed announcements may have none.
  private static func updateSearchTexts(of rows: inout [MovedRow]) {
    for index in rows.indices where rows[index].fields["search"]?.text?.isEmpty == false {
      let report = NewAnnouncement(stored: { rows[index].fields[$0] ?? .null })
      if let report { rows[index].fields["search"] = .text(report.searchText) }
    }
  }

  /// Inserts erasure marks and deletes the marked records.
  private func erase(
    _ marks: Set<String>
  ) throws(StoreError) -> (gone: [BlobPath], erased: Int) {
    return try database.write { t in
      try t.lock(.erasures)
      let marks = try marks.subtracting(Self.marksOfOnlyCopies(marks, t))
      try Erasures.insert(marks, t)
      func marked(_ sql: String, _ kind: (String) -> String...) throws -> [String] {
        try t.rows(sql).compactMap { row in
          let isMarked = kind.enumerated().contains { column, mark in
            row.text(column).map { marks.contains(mark($0)) } ?? false
          }
          return isMarked ? row.text(kind.count) ?? row.text(0) : nil
        }
      }
      var gone: [BlobPath] = []
      var erased: Set<String> = []
      for id in try marked(
        "SELECT id, idempotency_key, id FROM announcement", ErasureMark.announcement,
        ErasureMark.submission)
      {
        gone += try AnnouncementStore.erase("id = $1", [.text(id)], catalog, t)
        erased.insert(id)
      }
      for id in try marked(
        "SELECT announcement_id, submission_key, id FROM report_draft",
        ErasureMark.announcement, ErasureMark.submission)
      {
        gone += try RecordedDrafts.erase("id = $1", [.text(id)], catalog, t)
        erased.insert(id)
      }
      let library = "SELECT photo, photo, photo FROM library_photo"
      for photo in try marked(library, ErasureMark.library, ErasureMark.onlyCopy) {
        guard let id = UUID(uuidString: photo) else { continue }
        gone += try catalog.forget(asset: id, t).gone
        erased.insert(photo)
      }
      for photo in try marked("SELECT \"id\", \"id\" FROM photo", ErasureMark.photo) {
        guard let id = UUID(uuidString: photo) else { continue }
        gone += try catalog.remove(photo: id, at: Date(), t)
        erased.insert(photo)
      }
      return (gone, erased.count)
    }
  }

  /// Returns the marks to ignore. The original file of their photo was removed by an import, so this store may have the
  /// only copy. If a photo was knowingly forgotten as the only copy (`ErasureMark.onlyCopy`), its marks count.
  private static func marksOfOnlyCopies(
    _ marks: Set<String>, _ t: Transaction
  ) throws -> [String] {
    let ids = try t.rows(
      """
      SELECT photo FROM library_photo WHERE EXISTS (SELECT 1 FROM source_file
        WHERE source_file.photo = library_photo.photo AND fate IS NOT NULL)
      """
    ).compactMap { $0.text(0) }
    let kept = ids.filter {
      marks.contains(ErasureMark.library($0)) || marks.contains(ErasureMark.photo($0))
    }
    let approved = try t.fetch(Erasures.among(kept.map(ErasureMark.onlyCopy), t.dialect)).union(
      marks)
    return kept.filter { !approved.contains(ErasureMark.onlyCopy($0)) }
      .flatMap { [ErasureMark.library($0), ErasureMark.photo($0)] }
  }

  /// Returns the IDs of library photos that were forgotten in another store and are only copies here.
  package func onlyCopies(forgottenIn other: RecordsToMove) throws(StoreError) -> Set<String> {
    var copies: Set<String> = []
    if try other.erasureCount() == 0 { return copies }
    var last = ""
    while true {
      let ids = try database.rows(
        "SELECT photo FROM library_photo WHERE photo > $1 ORDER BY photo LIMIT 500", [.text(last)]
      ).compactMap { $0.text(0) }
      guard let end = ids.last else { return copies }
      last = end
      let marks = ids.flatMap { [ErasureMark.library($0), ErasureMark.onlyCopy($0)] }
      let found = try other.database.read { try $0.fetch(Erasures.among(marks, $0.dialect)) }
      let asked = ids.filter {
        found.contains(ErasureMark.library($0)) && !found.contains(ErasureMark.onlyCopy($0))
      }
      let lost = try catalog.onlyCopies(among: asked.compactMap { UUID(uuidString: $0) })
      copies.formUnion(lost.map(\.photo.uuidString))
    }
  }

  /// Returns the photos that have one of these IDs.
  package func photos(ids: [String]) throws(StoreError) -> [SealedRecord] {
    try database.rows(
      PhotoRows.select("WHERE \"id\" \(database.dialect.among("$1"))"), [.list(ids)]
    ).compactMap { PhotoRows.record($0) }
  }

  /// Inserts photos unchanged. Other processes can't delete their pictures between `naming` and the insertion (promise
  /// N of `Catalog`).
  ///
  /// - Parameter naming: returns `true` if all pictures of the photos exist.
  /// - Returns: `false`, inserting nothing, if a picture is missing, or if one of the IDs exists or was erased in the
  ///   meantime.
  package func add(
    _ photos: [SealedRecord], naming: () throws(StoreError) -> Bool
  ) throws(StoreError) -> Bool {
    try database.write { t in
      // Another move of the same photos waits for this lock.
      let locked = try PhotoRows.lock(photos.flatMap(\.places), t)
      let there = try PhotoRows.fetchAll(
        t, "WHERE \"id\" \(t.dialect.among("$1")) LIMIT 1", [.list(photos.map(\.id))])
      try t.lock(.newRecords)
      let isNew = try there.isEmpty && Self.selectErased(photos: photos.map(\.id), t).isEmpty
      t.hasSideEffects = true
      guard isNew, try naming() else {
        t.rollsBack = true
        return false
      }
      try PhotoRows.insert(photos, locked, t)
      try catalog.noteNewest(t)
      return true
    }
  }

  /// Returns the secret that passwords and cookies are derived from.
  package func secret() throws(StoreError) -> Data { try database.read { try $0.storeSecret() } }

  /// Replaces the secret unless a draft or an announcement depends on the current one.
  ///
  /// - Returns: `true` if `secret` is now the store's secret.
  package func adopt(_ secret: Data) throws(StoreError) -> Bool {
    try database.write { t in
      try t.execute(
        """
        UPDATE store SET secret = $1
        WHERE NOT EXISTS (SELECT 1 FROM report_draft) AND NOT EXISTS (SELECT 1 FROM announcement)
        """, [.data(secret)])
      return try t.storeSecret() == secret
    }
  }
}
