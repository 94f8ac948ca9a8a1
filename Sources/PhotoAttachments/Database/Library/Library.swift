import Foundation
import PhotoIngestion

/// The lookups and changes of imports.
extension Catalog {
  /// Looks up files before they are read. Returns one element per file, in order; `nil` for unknown files. A file is
  /// known if its path is on record with this identity, or if the same identity under another path became or equals a
  /// photo. Lookups of files, digests and sizes don't wait for a group that is being recorded.
  ///
  /// - Parameter origin: the origin of the files. `nil` derives it from their paths, which must be either all files or
  ///   all objects.
  package func lookups(
    of files: [(path: [UInt8], identity: FileIdentity)], origin: String? = nil
  ) throws(StoreError) -> [SourceLookup?] {
    let origin = origin ?? self.origin(of: files.first?.path)
    return try database.read(beside: true) { try $0.dialect.lookups(of: files, origin: origin, $0) }
  }

  /// Returns those of the sizes that recorded files have, and perhaps others. Files of any other size are unknown, so
  /// there is no need to call `known`. In databases where `known` is as cheap as this, returns all sizes.
  package func knownSizes(among sizes: [Int]) throws(StoreError) -> Set<Int> {
    try database.read(beside: true) { try $0.fetch($0.dialect.knownSizes(among: Set(sizes))) }
  }

  /// Returns the earlier result for these bytes, whatever file they came from.
  package func known(sha256: String) throws(StoreError) -> KnownSource? {
    try database.read(beside: true) { t in
      let (photo, file) = try t.fetch(
        SourceRows.photo(of: sha256), SourceRows.file(of: sha256))
      return photo ?? file
    }
  }

  /// Returns, for each set of pictures, the library photos that may have the same pixels in another encoding. They have
  /// one frame and the same size. They also have the same preview, or the same perceptual hash if they were made in
  /// another form, because that alone can change a preview's bytes.
  package func candidates(
    for pictures: [(SealedRecord.Pictures, perceptualHash: UInt64)]
  ) throws(StoreError) -> [[SealedRecord]] {
    try database.read { t in
      try t.fetch(Query(each: pictures.map { alike($0, perceptualHash: $1) }))
    }
  }

  /// Returns library photos with the same preview, then those that only have the same perceptual hash and were made in
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

  /// Runs the lookups of a query.
  package func knowledge(of query: GroupQuery) throws(StoreError) -> GroupKnowledge {
    try database.read { try $0.fetch(Self.knowing(query, $0.dialect)) }
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

  /// Records a group of an import, completely or not at all.
  ///
  /// Keeps promise N (see `Catalog`). `naming` runs once, after all checks, while other processes can't delete the
  /// recorded pictures. Everything that the decision depends on is locked before it is read, and stays locked until the
  /// end. These are the pictures, the photos that the decision refers to, and the digests and blobs, so that other
  /// groups can't decide on equal ones. A group of new photos takes two round trips here, two of the ledger in
  /// `naming`, and COMMIT.
  ///
  /// - Parameters:
  ///   - query: the lookups that `decide` needs.
  ///   - part: the part of a shared import that counts the group.
  ///   - run: the import that adds new photos.
  ///   - decide: returns what to record. It may be called again if another process has changed the looked-up records
  ///     meanwhile.
  ///   - naming: publishes the decision's pictures.
  /// - Returns: the recorded decision.
  package func record(
    _ query: GroupQuery, in part: ImportPart? = nil, by run: LibraryRun? = nil,
    decide: (GroupKnowledge) throws -> GroupDecision,
    naming: (GroupDecision) throws -> Void
  ) throws(StoreError) -> GroupDecision {
    let (decision, number) = try database.write { t in
      let digests = query.digests.union(query.blobs.map(\.sha256))
      // The query's pictures may be recorded below, so lock them against deletion from here on.
      var (cursor, roots, _, asked, knowledge) = try t.fetch(
        part?.locking() ?? Query(known: 0),
        query.pictures.isEmpty ? Query(known: []) : Self.roots,
        Query(asking: t.dialect.locking(.digests(digests))),
        t.dialect.locking(query.pictures.union(query.blobs)),
        Self.knowing(query, t.dialect))
      // A photo that was forgotten meanwhile can't be locked. Look everything up again.
      while try !Self.lock(knowledge, t) {
        knowledge = try t.fetch(Self.knowing(query, t.dialect))
      }
      let decision = try decide(knowledge)
      let shown = decision.renewals.flatMap { [$0.pictures.blob.path, $0.pictures.preview.path] }
        .compactMap { BlobPath(relativePath: $0) }
      let places = decision.photos.flatMap(\.record.places) + shown
      let more = try PhotoRows.lock(places.filter { asked.ids[$0] == nil }, t)
      let locked = LockedPictures(asked.ids.merging(more.ids) { own, _ in own })
      for renewal in decision.renewals {
        let sharing = try PhotoRows.selectSharing(renewal.old, t)
        try PhotoRows.assignPictures(renewal.pictures, by: sharing, locked, t)
      }
      let path = decision.sources.first?.path ?? decision.forgotten.first
      let origin = part?.origin ?? self.origin(of: path)
      let number = try decision.photos.isEmpty ? nil : part?.run ?? run?.number(t)
      try t.fetch(
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
    run?.setNumber(number)
    return decision
  }

  /// Locks the photos that a group may turn out to equal. Returns `false` if one of them is gone.
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

/// A part of a shared import. Its groups are recorded together with their counts.
package struct ImportPart: Sendable {
  /// The run that it belongs to.
  package let run: Int64
  /// The origin of its files.
  package let origin: String
  /// The devices of files when they were listed, by the files' keys. A folder that several machines have mounted has a
  /// different device number on each.
  package let devices: [[UInt8]: Int64]
  /// Locks the part and returns its counting position. It is the first query, and other transactions can't count until
  /// this one ends.
  package let locking: @Sendable () -> Query<Int64>
  /// Counts a decision from this position on.
  package let counting: @Sendable (GroupDecision, Int64) throws -> [Query<Void>]
}
