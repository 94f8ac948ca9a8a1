import Foundation
import GRDB
package import PhotoAttachments

/// What an import asks and records.
extension SQLiteCatalog {
  package func looks(
    at files: [(path: [UInt8], identity: FileIdentity)]
  ) throws(StoreError) -> [SourceLook?] {
    try read { db in
      try files.map { path, identity in
        if let record = try SourceRecord.fetch(db, path: path), record.identity == identity {
          return SourceLook(record: record, isSamePath: true, blob: try Self.blob(record, db))
        }
        guard let record = try SourceRecord.fetch(db, identity: identity),
          record.knowledge?.photo != nil
        else { return nil }
        return SourceLook(record: record, isSamePath: false, blob: try Self.blob(record, db))
      }
    }
  }

  private static func blob(_ record: SourceRecord, _ db: Database) throws -> RecordedPicture? {
    guard let photo = record.knowledge?.photo else { return nil }
    return try RecordedPicture.fetch(db, blobOf: photo.uuidString)
  }

  package func known(sha256: String) throws(StoreError) -> KnownSource? {
    try read { db in
      guard let knowledge = try SourceKnowledge.fetch(db, sha256: sha256) else { return nil }
      let blob = try knowledge.photo.flatMap {
        try RecordedPicture.fetch(db, blobOf: $0.uuidString)
      }
      return KnownSource(knowledge, blob: blob)
    }
  }

  package func candidates(
    for pictures: [(SealedRecord.Pictures, perceptualHash: UInt64)]
  ) throws(StoreError) -> [[SealedRecord]] {
    try read { db in
      try pictures.map { pictures, hash in
        try LibraryRow.candidates(db, for: pictures)
          + LibraryRow.candidates(db, outsideFormOf: pictures, perceptualHash: hash)
      }
    }
  }

  package func knowledge(of question: GroupQuestion) throws(StoreError) -> GroupKnowledge {
    try read { try knowledge(of: question, $0) }
  }

  /// One transaction: nobody else records, deletes or names a picture meanwhile, so that what is
  /// known cannot become stale.
  package func record(
    _ question: GroupQuestion,
    decide: (GroupKnowledge) throws(StoreError) -> GroupDecision,
    naming: (GroupDecision) throws(StoreError) -> Void
  ) throws(StoreError) -> GroupDecision {
    try write { db in
      let decision = try decide(try knowledge(of: question, db))
      for renewal in decision.renewals { try renewal.old.show(renewal.pictures, db) }
      for photo in decision.photos {
        try photo.record.insert(db)
        try LibraryRow(photo: photo.record.id, perceptualHash: photo.perceptualHash).insert(db)
      }
      for source in decision.sources { try source.upsert(db) }
      for path in decision.forgotten { try SourceRecord.delete(db, path: Data(path)) }
      try naming(decision)
      return decision
    }
  }

  private func knowledge(of question: GroupQuestion, _ db: Database) throws -> GroupKnowledge {
    var knowledge = GroupKnowledge()
    for digest in question.digests {
      guard let known = try SourceKnowledge.fetch(db, sha256: digest) else { continue }
      knowledge.sources[digest] = known
      guard let photo = known.photo else { continue }
      knowledge.records[photo] = try SealedRecord.fetch(db, id: photo.uuidString)
    }
    for blob in question.blobs { knowledge.blobs[blob] = try LibraryRow.photo(db, blob: blob) }
    for photo in question.photos where try LibraryRow.fetch(db, id: photo) != nil {
      knowledge.library.insert(photo)
    }
    for place in question.pictures where try place.isReferenced(db) {
      knowledge.referenced.insert(place)
    }
    knowledge.erased = try ErasureRow.among(question.marks, db)
    return knowledge
  }

  /// One more connection to the same file.
  package func forLooks() throws(StoreError) -> any LibraryCatalog {
    try SQLiteCatalog(
      us, busyTimeout: busyTimeout, hasPictures: true, logger: logger)
  }
}
