import Foundation

/// Photo records as rows of the table `photo`.
package enum PhotoRows {
  private static let names = SealedRecord.columns
  /// The columns that `record` reads, in order.
  package static let columns =
    (["sequence"] + names).map { "photo.\"\($0)\"" }.joined(separator: ", ")

  /// Returns the record in a row's columns from `first` on; `nil` if a join found none.
  package static func record(_ row: ResultRow, from first: Int = 0) -> SealedRecord? {
    guard let sequence = row.number(first) else { return nil }
    var fields: [String: FieldValue] = [:]
    fields.reserveCapacity(names.count)
    for (index, name) in names.enumerated() { fields[name] = row[first + 1 + index] }
    return SealedRecord(sequence: sequence, fields: fields)
  }

  /// Returns SQL that selects the photos of a condition.
  package static func select(_ condition: String) -> String {
    "SELECT \(columns) FROM photo \(condition)"
  }

  /// Returns the photos of a condition.
  package static func fetchAll(
    _ t: Transaction, _ condition: String, _ values: [FieldValue]
  ) throws -> [SealedRecord] {
    try t.rows(select(condition), values).compactMap { record($0) }
  }

  /// Returns the photo with this ID.
  package static func fetch(_ t: Transaction, id: String) throws -> SealedRecord? {
    try fetchAll(t, "WHERE \"id\" = $1", [.text(id)]).first
  }

  /// Locks pictures (see `LockedPictures`).
  package static func lock(
    _ pictures: some Sequence<BlobPath>, _ t: Transaction
  ) throws -> LockedPictures {
    let pictures = Set(pictures)
    return pictures.isEmpty ? LockedPictures() : try t.fetch(t.dialect.locking(pictures))
  }

  /// Inserts photos whose pictures are locked.
  package static func insert(
    _ photos: [SealedRecord], _ locked: LockedPictures, _ t: Transaction
  ) throws {
    try t.fetch(Query(all: insertion(photos, locked, t.dialect)))
  }

  /// Returns the queries that insert photos whose pictures are locked.
  package static func insertion(
    _ photos: [SealedRecord], _ locked: LockedPictures, _ dialect: Dialect
  ) -> [Query<Void>] {
    let all = names.map { "\"\($0)\"" } + dialect.pictureColumns
    return SourceRows.insertion(
      "photo (\(all.joined(separator: ", ")))",
      photos.map { photo in
        names.map { photo.fields[$0] ?? .null }
          + zip(BlobPath.Kind.ofRecords, dialect.pictureColumns).map { kind, _ in
            FieldValue(photo.place(kind).flatMap { locked.ids[$0] })
          }
      })
  }

  /// Splits a list into pieces of at most `most` elements.
  package static func groups<Element>(_ list: [Element], of most: Int) -> [[Element]] {
    stride(from: 0, to: list.count, by: most).map {
      Array(list[$0..<min($0 + most, list.count)])
    }
  }

  /// Writes the fields that differ from those of `old`.
  package static func update(
    _ photo: SealedRecord, from old: SealedRecord, _ locked: LockedPictures, _ t: Transaction
  ) throws {
    var changes = photo.fields.filter { old.fields[$0.key] != $0.value }
      .sorted { $0.key < $1.key }.map { ("\"\($0.key)\"", $0.value) }
    for (kind, column) in zip(BlobPath.Kind.ofRecords, t.dialect.pictureColumns)
    where photo.place(kind) != old.place(kind) {
      changes.append((column, FieldValue(photo.place(kind).flatMap { locked.ids[$0] })))
    }
    if changes.isEmpty { return }
    let assignments = changes.enumerated().map { "\($1.0) = $\($0 + 2)" }
    try t.execute(
      "UPDATE photo SET \(assignments.joined(separator: ", ")) WHERE sequence = $1",
      [.int(old.sequence)] + changes.map(\.1), isRepeated: false)
  }

  /// Locks and returns every photo whose blob is the same file as that of `old`.
  package static func selectSharing(_ old: SealedRecord, _ t: Transaction) throws -> [SealedRecord]
  {
    try fetchAll(
      t,
      "WHERE \"blobSHA256\" = $1 AND \"blobFormat\" = $2 ORDER BY sequence\(t.dialect.forUpdate)",
      [old.fields["blobSHA256"] ?? .null, old.fields["blobFormat"] ?? .null])
  }

  /// Assigns other pictures to photos that share a blob. The new files exist already. The caller deletes the old ones
  /// after the commit.
  package static func assignPictures(
    _ pictures: SealedRecord.Pictures, by sharing: [SealedRecord], _ locked: LockedPictures,
    _ t: Transaction
  ) throws {
    for photo in sharing where photo.isSealed {
      try update(photo.showing(pictures).sealedAnew, from: photo, locked, t)
    }
  }

  /// Deletes a photo if no draft, library entry or row of another table refers to it.
  ///
  /// - Returns: the photo's pictures, to be deleted after the commit.
  package static func deleteUnreferenced(_ id: String, _ t: Transaction) throws -> [BlobPath] {
    // Locked first. Otherwise two transactions that release it at once would each still see the other's reference.
    let found = try fetchAll(t, "WHERE \"id\" = $1\(t.dialect.forUpdate)", [.text(id)])
    // An altered record can be deleted too, apart from pictures that can't be read from it.
    guard let photo = found.first else { return [] }
    let (sizes, references) = try t.fetch(SizeRows.places(of: id), PhotoReference.all(t))
    let others = references.map {
      " AND NOT EXISTS (SELECT 1 FROM \($0.table) WHERE \($0.column) = photo.\"\($0.target.rawValue)\")"
    }
    let deleted = try t.execute(
      """
      DELETE FROM photo WHERE "id" = $1
        AND NOT EXISTS (SELECT 1 FROM attachment WHERE attachment.photo = $1)
        AND NOT EXISTS (SELECT 1 FROM library_photo WHERE library_photo.photo = $1)\(others.joined())
      """, [.text(id)])
    return deleted > 0 ? photo.places + sizes : []
  }

  /// Returns those of the pictures that a record refers to.
  package static func referenced(
    _ pictures: some Sequence<BlobPath>, _ dialect: Dialect
  ) -> Query<Set<BlobPath>> {
    let pictures = Set(pictures)
    func named(_ kind: BlobPath.Kind) -> Query<[BlobPath]> {
      let asked = pictures.filter { $0.kind == kind }
      if asked.isEmpty { return Query(known: []) }
      let digest = "\"\(kind.column)SHA256\""
      let format = "\"\(kind.column)Format\""
      return Query(
        "SELECT DISTINCT \(digest), \(format) FROM photo WHERE \(digest) \(dialect.among("$1"))",
        [.list(Set(asked.map(\.sha256)).sorted())]
      ) { answer in
        answer.rows.compactMap { BlobPath(kind, sha256: $0.text(0), format: $0.text(1)) }
      }
    }
    return Query(
      named(.blob), named(.preview), SizeRows.referenced(pictures, dialect),
      pictures.isEmpty ? Query(known: []) : dialect.numbered(pictures)
    ) { pictures.intersection($0 + $1 + $2).union($3) }
  }

  /// Looks up those of the pictures that a record refers to.
  package static func selectReferenced(
    _ pictures: some Sequence<BlobPath>, _ t: Transaction
  ) throws -> Set<BlobPath> {
    try t.fetch(referenced(pictures, t.dialect))
  }
}

extension RecordedPicture {
  /// Reads a photo's blob from three columns of a row from `first` on: digest, format and size.
  package init?(_ row: ResultRow, from first: Int) {
    guard let place = BlobPath(.blob, sha256: row.text(first), format: row.text(first + 1)),
      let size = row.number(first + 2)
    else { return nil }
    self.init(place, sizeBytes: Int(size))
  }
}
