import Foundation
package import PhotoAttachments
import PhotoIngestion

/// What an import decides by and records.
extension PostgresCatalog {
  package func knowledge(of question: GroupQuestion) throws(StoreError) -> GroupKnowledge {
    try database.read { try $0.ask(Self.knowing(question)) }
  }

  private static func knowing(_ question: GroupQuestion) -> PostgresQuestion<GroupKnowledge> {
    PostgresQuestion(
      SourceLines.ofFiles(question.digests), SourceLines.ofPhotos(question.digests),
      SourceLines.records(question.digests), SourceLines.photos(with: question.blobs),
      SourceLines.library(question.photos), StoredBlobs.referenced(question.pictures),
      ErasureRows.among(question.marks)
    ) { files, photos, records, blobs, library, referenced, erased in
      var knowledge = GroupKnowledge()
      knowledge.sources = files.merging(photos) { $1 }
      let named = Set(knowledge.sources.values.compactMap(\.photo))
      knowledge.records = records.filter { named.contains($0.key) }
      (knowledge.blobs, knowledge.library, knowledge.referenced) = (blobs, library, referenced)
      knowledge.erased = erased
      return knowledge
    }
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
      var (cursor, _, asked, knowledge) = try t.ask(
        part?.holding ?? GroupCount.none, Self.holding(question),
        StoredBlobs.holding(question.pictures.union(question.blobs)), Self.knowing(question))
      // Who was forgotten meanwhile is no photo of the library any more.
      while try !Self.hold(knowledge, t) { knowledge = try t.ask(Self.knowing(question)) }
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
        PostgresQuestion(
          all: PhotoLines.insertion(decision.photos.map(\.record), stored)
            + SourceLines.join(decision.photos)
            + SourceLines.write(decision.sources, origin: origin)
            + SourceLines.delete(decision.forgotten, origin: origin)
            + [asked.droppingUnreferenced] + (part?.counting(decision, cursor) ?? [])))
      t.isTold = true
      try naming(decision)
      return decision
    }
  }

  /// Holds the photos that a group may turn out to equal; false when one of them is gone.
  private static func hold(_ knowledge: GroupKnowledge, _ t: PostgresTransaction) throws -> Bool {
    let photos = knowledge.library.union(knowledge.blobs.values)
      .union(knowledge.sources.values.compactMap(\.photo))
    if photos.isEmpty { return true }
    let held = try t.rows(
      "SELECT 1 FROM library_photo WHERE photo = ANY($1) ORDER BY photo FOR KEY SHARE",
      [.list(photos.map(\.uuidString).sorted())])
    return held.count == photos.count
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
