import Foundation
import PhotoIngestion

/// What an import decides by and records.
extension Catalog {
  /// What is known of files before they are read, in their order; nil for the unknown. A file counts
  /// as known when its path is on record with this very identity, or the identity under another path
  /// that became or equals a photo. Looks, as those for digests and sizes, don't wait for a group that is
  /// being recorded.
  ///
  /// - Parameter origin: the machine that the files are of; nil by their paths, which are of one kind.
  package func lookups(
    of files: [(path: [UInt8], identity: FileIdentity)], origin: String? = nil
  ) throws(StoreError) -> [SourceLookup?] {
    let origin = origin ?? self.origin(of: files.first?.path)
    return try database.read(beside: true) { try $0.dialect.lookups(of: files, origin: origin, $0) }
  }

  /// Those of the sizes that files on record have, and perhaps more: of bytes of another size nothing is
  /// known, so that `known` need not be asked. All of them where `known` costs no more than this.
  package func knownSizes(among sizes: [Int]) throws(StoreError) -> Set<Int> {
    try database.read(beside: true) { try $0.ask($0.dialect.knownSizes(among: Set(sizes))) }
  }

  /// What is known of these bytes, whatever file they came from.
  package func known(sha256: String) throws(StoreError) -> KnownSource? {
    try database.read(beside: true) { t in
      let (photo, file) = try t.ask(
        SourceRows.photo(of: sha256), SourceRows.file(of: sha256))
      return photo ?? file
    }
  }

  /// For each of several pictures the library photos of one frame that may have the same pixels in
  /// another coding: of the same size, and with the same preview, or the same looks where they were made
  /// in another form (their previews may have other bytes for that reason alone).
  package func candidates(
    for pictures: [(SealedRecord.Pictures, perceptualHash: UInt64)]
  ) throws(StoreError) -> [[SealedRecord]] {
    try database.read { t in
      try t.ask(Query(each: pictures.map { alike($0, perceptualHash: $1) }))
    }
  }

  /// Library photos with the preview of pictures, then those that only look the same and were made in
  /// another form.
  private func alike(
    _ pictures: SealedRecord.Pictures, perceptualHash hash: UInt64
  ) -> Query<[SealedRecord]> {
    func photos(_ condition: String, _ values: [FieldValue]) -> Query<[SealedRecord]> {
      Query(
        """
        SELECT \(PhotoRows.columns)
        FROM photo JOIN library_photo ON library_photo.photo = photo."id"
        WHERE "blobWidth" = $1 AND "blobHeight" = $2 AND "blobFrameCount" = 1
          AND "blobSHA256" <> $3 AND \(condition)
        ORDER BY sequence LIMIT 4
        """,
        [
          FieldValue(pictures.blob.pixelWidth), FieldValue(pictures.blob.pixelHeight),
          .text(pictures.blob.sha256), .text(pictures.preview.sha256),
        ] + values
      ) { $0.rows.compactMap { PhotoRows.record($0) } }
    }
    return Query(
      photos("\"previewSHA256\" = $4", []),
      photos(
        "\"previewSHA256\" <> $4 AND perceptual_hash = $5 AND form IS DISTINCT FROM $6",
        [.int(Int64(bitPattern: hash)), FieldValue(pictures.form?.text)])
    ) { $0 + $1 }
  }

  /// What is known of what was asked.
  package func knowledge(of query: GroupQuery) throws(StoreError) -> GroupKnowledge {
    try database.read { try $0.ask(Self.knowing(query, $0.dialect)) }
  }

  private static func knowing(
    _ query: GroupQuery, _ dialect: Dialect
  ) -> Query<GroupKnowledge> {
    Query(
      SourceRows.ofFiles(query.digests, dialect), SourceRows.ofPhotos(query.digests, dialect),
      SourceRows.records(query.digests, dialect),
      SourceRows.photos(with: query.blobs, dialect),
      SourceRows.library(query.photos, dialect),
      PhotoRows.referenced(query.pictures, dialect), Erasures.among(query.marks, dialect)
    ) { files, photos, records, blobs, library, referenced, erased in
      var knowledge = GroupKnowledge()
      knowledge.sources = files.merging(photos) { $1 }
      let named = Set(knowledge.sources.values.compactMap(\.photo))
      knowledge.records = records.filter { named.contains($0.key) }
      knowledge.blobs = blobs
      knowledge.library = library
      knowledge.referenced = referenced
      knowledge.erased = erased
      return knowledge
    }
  }

  /// Records a group of an import: all of it, or nothing when it throws.
  ///
  /// Keeps promise N (see `Catalog`): `naming` runs once, after all checks, at a moment when
  /// no other process can delete the pictures that the decision records. What the decision depends on is locked
  /// from before it is known to the end: the digests and blobs, so that no other group decides on equal ones
  /// meanwhile, the pictures, and the photos that it refers to. A group of new photos takes two round trips here,
  /// two of the ledger's in `naming`, and COMMIT.
  ///
  /// - Parameters:
  ///   - query: what `decide` has to know.
  ///   - part: the part of a shared import that counts the group.
  ///   - run: the import that brings new photos.
  ///   - decide: what to record, by what is known; it may run again when another process has recorded
  ///     meanwhile what it depended on.
  ///   - naming: publishes the decision's pictures.
  /// - Returns: the decision that was recorded.
  package func record(
    _ query: GroupQuery, in part: ImportPart? = nil, by run: LibraryRun? = nil,
    decide: (GroupKnowledge) throws -> GroupDecision,
    naming: (GroupDecision) throws -> Void
  ) throws(StoreError) -> GroupDecision {
    let (decision, number) = try database.write { t in
      let digests = query.digests.union(query.blobs.map(\.sha256))
      // What is asked may be recorded: no transaction deletes it from here on.
      var (cursor, roots, _, asked, knowledge) = try t.ask(
        part?.locking() ?? Query(known: 0),
        query.pictures.isEmpty ? Query(known: []) : Self.roots,
        Query(asking: t.dialect.locking(.digests(digests))),
        t.dialect.locking(query.pictures.union(query.blobs)),
        Self.knowing(query, t.dialect))
      // What was forgotten meanwhile is no photo of the library any more.
      while try !Self.lock(knowledge, t) {
        knowledge = try t.ask(Self.knowing(query, t.dialect))
      }
      let decision = try decide(knowledge)
      let shown = decision.renewals.flatMap { [$0.pictures.blob.path, $0.pictures.preview.path] }
        .compactMap { BlobPath(relativePath: $0) }
      let places = decision.photos.flatMap(\.record.places) + shown
      let more = try PhotoRows.lock(places.filter { asked.ids[$0] == nil }, t)
      let locked = LockedPictures(asked.ids.merging(more.ids) { own, _ in own })
      for renewal in decision.renewals {
        let sharing = try PhotoRows.sharing(renewal.old, t)
        try PhotoRows.show(renewal.pictures, by: sharing, locked, t)
      }
      let path = decision.sources.first?.path ?? decision.forgotten.first
      let origin = part?.origin ?? self.origin(of: path)
      let number = try decision.photos.isEmpty ? nil : part?.run ?? run?.number(t)
      try t.ask(
        Query(
          all: PhotoRows.insertion(decision.photos.map(\.record), locked, t.dialect)
            + SourceRows.join(decision, roots, run: number)
            + SourceRows.write(decision.sources, origin: origin)
            + SourceRows.delete(decision.forgotten, origin: origin)
            + [Query(asking: t.dialect.dropping(asked))]
            + (part?.counting(decision, cursor) ?? [])))
      if !decision.photos.isEmpty { try noteNewest(t) }
      t.hasSideEffects = true
      try naming(decision)
      return (decision, number)
    }
    run?.note(number)
    return decision
  }

  /// Locks the photos that a group may turn out to equal; false when one of them is gone.
  private static func lock(_ knowledge: GroupKnowledge, _ t: Transaction) throws -> Bool {
    let photos = knowledge.library.union(knowledge.blobs.values)
      .union(knowledge.sources.values.compactMap(\.photo))
    if photos.isEmpty || t.dialect.forKeyShare.isEmpty { return true }
    let locked = try t.rows(
      """
      SELECT 1 FROM library_photo WHERE photo \(t.dialect.among("$1"))
      ORDER BY photo\(t.dialect.forKeyShare)
      """, [.list(photos.map(\.uuidString).sorted())])
    return locked.count == photos.count
  }
}

/// A part of a shared import, whose groups are recorded with their counts.
package struct ImportPart: Sendable {
  /// The run that it is a part of.
  package let run: Int64
  /// The machine that its files are of.
  package let origin: String
  /// The devices of files as they were listed, by their keys: a folder that several machines have
  /// mounted has another number on each.
  package let devices: [[UInt8]: Int64]
  /// Asked first: where the counting stands. No other transaction counts until this one ends.
  package let locking: @Sendable () -> Query<Int64>
  /// Counts a decision from there.
  package let counting: @Sendable (GroupDecision, Int64) throws -> [Query<Void>]
}
