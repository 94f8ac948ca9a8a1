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

  package func known(sha256: String) throws(StoreError) -> KnownSource? {
    // Of most files nothing is known: one question tells that.
    let isKnown =
      try database.ask(
        """
        SELECT EXISTS (SELECT 1 FROM source_file WHERE sha256 = $1)
          OR EXISTS (SELECT 1 FROM photo WHERE "sourceSHA256" = $1)
        """, [.text(sha256)]
      ).first?.isTrue(0) ?? false
    guard isKnown else { return nil }
    return try database.read { t in
      guard let knowledge = try SourceLines.knowledge([sha256], t)[sha256] else { return nil }
      let blob = try knowledge.photo.flatMap {
        try PhotoLines.fetch(t, id: $0.uuidString)?.recorded(.blob)
      }
      return KnownSource(knowledge, blob: blob)
    }
  }

  package func candidates(
    for pictures: SealedRecord.Pictures, perceptualHash: UInt64
  ) throws(StoreError) -> [SealedRecord] {
    let (blob, preview) = (pictures.blob, pictures.preview)
    let alike = """
      "blobWidth" = $1 AND "blobHeight" = $2 AND "blobFrameCount" = 1 AND "blobSHA256" <> $3
      """
    let from = "FROM photo JOIN library_photo ON library_photo.photo = photo.\"id\""
    return try database.ask(
      """
      (SELECT \(PhotoLines.columns), 1 AS rank \(from)
        WHERE "previewSHA256" = $4 AND \(alike) ORDER BY sequence LIMIT 4)
      UNION ALL
      (SELECT \(PhotoLines.columns), 2 AS rank \(from)
        WHERE perceptual_hash = $5 AND \(alike) AND "previewSHA256" <> $4
          AND form IS DISTINCT FROM $6 ORDER BY sequence LIMIT 4)
      ORDER BY rank, sequence
      """,
      [
        FieldValue(blob.pixelWidth), FieldValue(blob.pixelHeight), .text(blob.sha256),
        .text(preview.sha256), .int(Int64(bitPattern: perceptualHash)),
        FieldValue(pictures.form?.text),
      ]
    ).compactMap { PhotoLines.record($0) }
  }

  package func knowledge(of question: GroupQuestion) throws(StoreError) -> GroupKnowledge {
    try database.read { try knowledge(of: question, $0) }
  }

  package func record(
    _ question: GroupQuestion,
    decide: (GroupKnowledge) throws(StoreError) -> GroupDecision,
    naming: (GroupDecision) throws(StoreError) -> Void
  ) throws(StoreError) -> GroupDecision {
    try record(
      question, origin: nil, first: { _ in }, decide: decide, counting: { _, _ in },
      naming: naming)
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
  /// - Parameters:
  ///   - origin: the machine that the files are of; nil by their paths, which are of one kind.
  ///   - first: what the transaction begins with.
  ///   - counting: what it does besides, once all is decided.
  func record(
    _ question: GroupQuestion, origin: String?, first: (PostgresTransaction) throws -> Void,
    decide: (GroupKnowledge) throws(StoreError) -> GroupDecision,
    counting: (GroupDecision, PostgresTransaction) throws -> Void,
    naming: (GroupDecision) throws(StoreError) -> Void
  ) throws(StoreError) -> GroupDecision {
    try database.write { t in
      try first(t)
      try hold(question, t)
      // What is asked may be recorded: nobody deletes it from here on.
      let asked = try StoredBlobs.hold(question.pictures.union(question.blobs), t)
      let knowledge = try knowledge(of: question, t)
      try t.rows(
        """
        SELECT 1 FROM library_photo WHERE photo = ANY($1) ORDER BY photo FOR KEY SHARE
        """,
        [.list(Set(question.photos).union(knowledge.records.keys).map(\.uuidString).sorted())])
      let decision = try decide(knowledge)
      let shown = decision.renewals.flatMap { [$0.pictures.blob.path, $0.pictures.preview.path] }
        .compactMap { BlobPath(relativePath: $0) }
      let stored = try StoredBlobs.hold(decision.photos.flatMap(\.record.places) + shown, t)
      for renewal in decision.renewals {
        try PhotoLines.show(renewal.pictures, by: renewal.old, stored, t)
      }
      try PhotoLines.insert(decision.photos.map(\.record), stored, t)
      try SourceLines.join(decision.photos, t)
      let path = decision.sources.first?.path ?? decision.forgotten.first
      let origin = origin ?? self.origin(of: path)
      try SourceLines.write(decision.sources, origin: origin, t)
      try SourceLines.delete(decision.forgotten, origin: origin, t)
      try asked.dropUnreferenced(t)
      try counting(decision, t)
      t.isTold = true
      try naming(decision)
      return decision
    }
  }

  /// Waits for other groups that ask for one of the same digests or blobs, and makes later ones wait.
  private func hold(_ question: GroupQuestion, _ t: PostgresTransaction) throws {
    let digests = question.digests.union(question.blobs.map(\.sha256))
    let numbers = Set(digests.compactMap { UInt64($0.prefix(16), radix: 16) })
      .map { Int64(bitPattern: $0) }.sorted()
    if numbers.isEmpty { return }
    try t.rows(
      "SELECT pg_advisory_xact_lock(number) FROM unnest($1::bigint[]) AS number", [.list(numbers)])
  }

  private func knowledge(
    of question: GroupQuestion, _ t: PostgresTransaction
  ) throws -> GroupKnowledge {
    var knowledge = GroupKnowledge()
    knowledge.sources = try SourceLines.knowledge(question.digests, t)
    let photos = Set(knowledge.sources.values.compactMap(\.photo)).map(\.uuidString).sorted()
    if !photos.isEmpty {
      for photo in try PhotoLines.fetchAll(t, "WHERE \"id\" = ANY($1)", [.list(photos)]) {
        if let id = UUID(uuidString: photo.id) { knowledge.records[id] = photo }
      }
    }
    knowledge.blobs = try SourceLines.photos(with: question.blobs, t)
    if !question.photos.isEmpty {
      knowledge.library = Set(
        try t.rows(
          "SELECT photo FROM library_photo WHERE photo = ANY($1)",
          [.list(question.photos.map(\.uuidString))]
        ).compactMap { $0.text(0).flatMap(UUID.init(uuidString:)) })
    }
    knowledge.referenced = try StoredBlobs.referenced(question.pictures, t)
    return knowledge
  }

  /// This one: looks have connections of their own.
  package func forLooks() throws(StoreError) -> any LibraryCatalog { self }
}
