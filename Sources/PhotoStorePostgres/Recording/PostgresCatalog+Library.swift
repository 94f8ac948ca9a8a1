import Foundation
package import PhotoAttachments
import PhotoIngestion

/// What an import asks and records.
extension PostgresCatalog {
  package func looks(
    at files: [(path: [UInt8], identity: FileIdentity)]
  ) throws(StoreError) -> [SourceLook?] {
    try looks(at: files, origin: origin(of: files.first?.path))
  }

  /// The same for files of another machine.
  func looks(
    at files: [(path: [UInt8], identity: FileIdentity)], origin: String
  ) throws(StoreError) -> [SourceLook?] {
    // One statement sees one moment.
    let rows = try database.ask(
      """
      SELECT asked.number, \(SourceLines.columns), "blobSHA256", "blobFormat", "blobSizeBytes"
      FROM unnest($2::bytea[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[])
        WITH ORDINALITY AS asked (path, device, inode, size, modified, number)
      CROSS JOIN LATERAL (
        (SELECT *, 1 AS rank FROM source_file WHERE origin = $1 AND path = asked.path
          AND device = asked.device AND inode = asked.inode AND size = asked.size
          AND modified = asked.modified)
        UNION ALL
        (SELECT *, 2 AS rank FROM source_file WHERE origin = $1 AND device = asked.device
          AND inode = asked.inode AND size = asked.size AND modified = asked.modified
          AND photo IS NOT NULL ORDER BY path LIMIT 1)
        ORDER BY rank LIMIT 1
      ) AS source_file
      LEFT JOIN photo ON photo."id" = source_file.photo
      """,
      [
        .text(origin), .list(bytes: files.map(\.path)), .list(files.map(\.identity.device)),
        .list(files.map(\.identity.inode)), .list(files.map { Int64($0.identity.size) }),
        .list(files.map(\.identity.modified)),
      ])
    var looks = [SourceLook?](repeating: nil, count: files.count)
    for row in rows {
      guard let number = row.number(0).map({ Int($0) - 1 }),
        let record = SourceLines.record(row, from: 1)
      else { continue }
      looks[number] = SourceLook(
        record: record, isSamePath: record.path == files[number].path,
        blob: RecordedPicture(row, from: 1 + SourceLines.columnCount))
    }
    return looks
  }

  /// Of most files nothing is known, and their size tells it.
  package func knownSizes(among sizes: [Int]) throws(StoreError) -> Set<Int> {
    let rows = try database.ask(
      """
      SELECT bytes FROM unnest($1::bigint[]) AS asked (bytes)
      WHERE EXISTS (SELECT 1 FROM source_file WHERE size = bytes)
        OR EXISTS (SELECT 1 FROM photo WHERE "fileSizeBytes" = bytes)
      """, [.list(Set(sizes).sorted().map { Int64($0) })])
    return Set(rows.compactMap { $0.number(0).map { Int($0) } })
  }

  package func known(sha256: String) throws(StoreError) -> KnownSource? {
    try database.read { t in
      let (files, photos, records) = try t.ask(
        SourceLines.ofFiles([sha256]), SourceLines.ofPhotos([sha256]),
        SourceLines.records([sha256]))
      guard let knowledge = photos[sha256] ?? files[sha256] else { return nil }
      let photo = knowledge.photo.flatMap { records[$0] }
      return KnownSource(knowledge, blob: photo?.recorded(.blob))
    }
  }

  package func candidates(
    for pictures: [(SealedRecord.Pictures, perceptualHash: UInt64)]
  ) throws(StoreError) -> [[SealedRecord]] {
    if pictures.isEmpty { return [] }
    let (blobs, previews) = (pictures.map(\.0.blob), pictures.map(\.0.preview))
    let alike = """
      "blobWidth" = width AND "blobHeight" = height AND "blobFrameCount" = 1 AND "blobSHA256" <> blob
      """
    let from = "FROM photo JOIN library_photo ON library_photo.photo = photo.\"id\""
    let rows = try database.ask(
      """
      SELECT asked.number, photo.*
      FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::bigint[], $6::text[])
        WITH ORDINALITY AS asked (width, height, blob, preview, hash, made, number)
      CROSS JOIN LATERAL (
        (SELECT 1 AS rank, \(PhotoLines.columns) \(from)
          WHERE "previewSHA256" = preview AND \(alike) ORDER BY sequence LIMIT 4)
        UNION ALL
        (SELECT 2 AS rank, \(PhotoLines.columns) \(from)
          WHERE perceptual_hash = hash AND \(alike) AND "previewSHA256" <> preview
            AND form IS DISTINCT FROM nullif(made, '') ORDER BY sequence LIMIT 4)
      ) AS photo
      ORDER BY number, rank, sequence
      """,
      [
        .list(blobs.map { Int64($0.pixelWidth) }), .list(blobs.map { Int64($0.pixelHeight) }),
        .list(blobs.map(\.sha256)), .list(previews.map(\.sha256)),
        .list(pictures.map { Int64(bitPattern: $0.perceptualHash) }),
        .list(pictures.map { $0.0.form?.text ?? "" }),
      ])
    var candidates = [[SealedRecord]](repeating: [], count: pictures.count)
    for row in rows {
      guard let number = row.number(0), let record = PhotoLines.record(row, from: 2) else {
        continue
      }
      candidates[Int(number) - 1].append(record)
    }
    return candidates
  }

  package func knowledge(of question: GroupQuestion) throws(StoreError) -> GroupKnowledge {
    try database.read { t in
      let (files, photos, records, blobs, library, referenced) = try t.ask(
        SourceLines.ofFiles(question.digests), SourceLines.ofPhotos(question.digests),
        SourceLines.records(question.digests), SourceLines.photos(with: question.blobs),
        SourceLines.library(question.photos), StoredBlobs.referenced(question.pictures))
      return Self.knowledge(files, photos, records, blobs, library, referenced)
    }
  }

  private static func knowledge(
    _ files: [String: SourceKnowledge], _ photos: [String: SourceKnowledge],
    _ records: [UUID: SealedRecord], _ blobs: [BlobPath: UUID], _ library: Set<UUID>,
    _ referenced: Set<BlobPath>
  ) -> GroupKnowledge {
    var knowledge = GroupKnowledge()
    knowledge.sources = files.merging(photos) { $1 }
    let named = Set(knowledge.sources.values.compactMap(\.photo))
    knowledge.records = records.filter { named.contains($0.key) }
    (knowledge.blobs, knowledge.library, knowledge.referenced) = (blobs, library, referenced)
    return knowledge
  }

  package func record(
    _ question: GroupQuestion,
    decide: (GroupKnowledge) throws(StoreError) -> GroupDecision,
    naming: (GroupDecision) throws(StoreError) -> Void
  ) throws(StoreError) -> GroupDecision {
    try record(question, origin: nil, in: nil, decide: decide, naming: naming)
  }

  /// The machine that a file lies on. Objects of stores, whose keys are no absolute paths, are the same
  /// from everywhere.
  func origin(of path: [UInt8]?) -> String {
    path?.first == UInt8(ascii: "/") ? origin : Self.ofStores
  }

  /// The origin of objects.
  static let ofStores = "s3"

  /// Holds what the answer depends on from before it is known to the end: the digests and blobs, so
  /// that no other group decides on equal ones meanwhile, the pictures, and the photos that it names.
  ///
  /// A group of new photos takes two round trips here, two of the ledger's in `naming`, and COMMIT.
  ///
  /// - Parameters:
  ///   - origin: the machine that the files are of; nil by their paths, which are of one kind.
  ///   - part: the part of a shared import that counts the group.
  func record(
    _ question: GroupQuestion, origin: String?, in part: GroupCount?,
    decide: (GroupKnowledge) throws(StoreError) -> GroupDecision,
    naming: (GroupDecision) throws(StoreError) -> Void
  ) throws(StoreError) -> GroupDecision {
    try database.write { t in
      // What is asked may be recorded: nobody deletes it from here on.
      let (cursor, _, asked, files, photos, records, blobs, library, referenced) = try t.ask(
        part?.holding ?? GroupCount.none, Self.holding(question),
        StoredBlobs.holding(question.pictures.union(question.blobs)),
        SourceLines.ofFiles(question.digests), SourceLines.ofPhotos(question.digests),
        SourceLines.records(question.digests), SourceLines.photos(with: question.blobs),
        SourceLines.library(question.photos), StoredBlobs.referenced(question.pictures))
      let knowledge = Self.knowledge(files, photos, records, blobs, library, referenced)
      let named = question.photos.union(knowledge.records.keys).map(\.uuidString).sorted()
      if !named.isEmpty {
        try t.rows(
          "SELECT 1 FROM library_photo WHERE photo = ANY($1) ORDER BY photo FOR KEY SHARE",
          [.list(named)])
      }
      let decision = try decide(knowledge)
      let shown = decision.renewals.flatMap { [$0.pictures.blob.path, $0.pictures.preview.path] }
        .compactMap { BlobPath(relativePath: $0) }
      let stored = try asked.holding(also: decision.photos.flatMap(\.record.places) + shown, t)
      for renewal in decision.renewals {
        try PhotoLines.show(renewal.pictures, by: renewal.old, stored, t)
      }
      let path = decision.sources.first?.path ?? decision.forgotten.first
      let origin = origin ?? self.origin(of: path)
      try t.ask(
        all: PhotoLines.insertion(decision.photos.map(\.record), stored)
          + SourceLines.join(decision.photos)
          + SourceLines.write(decision.sources, origin: origin)
          + SourceLines.delete(decision.forgotten, origin: origin)
          + [asked.droppingUnreferenced] + (part?.counting(decision, cursor) ?? []))
      t.isTold = true
      try naming(decision)
      return decision
    }
  }

  /// Waits for other groups that ask for one of the same digests or blobs, and makes later ones wait.
  private static func holding(_ question: GroupQuestion) -> PostgresQuestion<Void> {
    let digests = question.digests.union(question.blobs.map(\.sha256))
    let numbers = Set(digests.compactMap { UInt64($0.prefix(16), radix: 16) })
      .map { Int64(bitPattern: $0) }.sorted()
    return PostgresQuestion(
      "SELECT pg_advisory_xact_lock(number) FROM unnest($1::bigint[]) AS number", [.list(numbers)])
  }

  /// This one: looks have connections of their own.
  package func forLooks() throws(StoreError) -> any LibraryCatalog { self }
}

/// How a transaction that records a group counts it.
struct GroupCount {
  /// Asked first: where the counting stands. Nobody else counts until the transaction ends.
  let holding: PostgresQuestion<Int64>
  /// Counts a decision from there.
  let counting: (GroupDecision, Int64) throws -> [PostgresQuestion<Void>]

  /// Asked where nothing is counted.
  static var none: PostgresQuestion<Int64> { PostgresQuestion("SELECT 1") { _ in 0 } }
}
