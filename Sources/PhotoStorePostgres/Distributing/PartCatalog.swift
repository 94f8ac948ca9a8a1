import Foundation
import PhotoAttachments
import Records

/// The catalog as a worker at a part uses it: what is recorded is counted in the same transaction, which
/// begins with a look whether the claim holds. The part's row is held from there to the end, so that
/// nobody else claims it in between.
struct PartCatalog: LibraryCatalog {
  private let catalog: PostgresCatalog
  private let claim: PartClaim
  /// The devices of files as they were listed, by their keys: a folder that several machines have
  /// mounted has another number on each.
  private let devices: [[UInt8]: Int64]

  init(_ catalog: PostgresCatalog, _ claim: PartClaim, _ entries: [ListedEntry]) {
    (self.catalog, self.claim) = (catalog, claim)
    devices = Dictionary(
      entries.compactMap { $0.file.map { ($0.key, $0.identity.device) } }, uniquingKeysWith: { $1 })
  }

  func looks(
    at files: [(path: [UInt8], identity: FileIdentity)]
  ) throws(StoreError) -> [SourceLook?] {
    let listed = files.map { (path: $0.path, identity: asListed($0.identity, $0.path)) }
    let looks = try catalog.looks(at: listed, origin: claim.origin)
    return zip(looks, files).map { look, file in
      guard var look else { return nil }
      // As this machine would see it.
      if look.record.identity.device == devices[file.path] {
        look.record.identity.device = file.identity.device
      }
      return look
    }
  }

  func known(sha256: String) throws(StoreError) -> KnownSource? {
    try catalog.known(sha256: sha256)
  }

  func knownSizes(among sizes: [Int]) throws(StoreError) -> Set<Int> {
    try catalog.knownSizes(among: sizes)
  }

  func candidates(
    for pictures: [(SealedRecord.Pictures, perceptualHash: UInt64)]
  ) throws(StoreError) -> [[SealedRecord]] {
    try catalog.candidates(for: pictures)
  }

  func knowledge(of question: GroupQuestion) throws(StoreError) -> GroupKnowledge {
    try catalog.knowledge(of: question)
  }

  func record(
    _ question: GroupQuestion,
    decide: (GroupKnowledge) throws(StoreError) -> GroupDecision,
    naming: (GroupDecision) throws(StoreError) -> Void
  ) throws(StoreError) -> GroupDecision {
    try catalog.record(
      question, origin: claim.origin, in: GroupCount(holding: holding, counting: counting),
      decide: { knowledge throws(StoreError) in
        var decision = try decide(knowledge)
        for index in decision.sources.indices {
          let source = decision.sources[index]
          decision.sources[index].identity = asListed(source.identity, source.path)
        }
        return decision
      }, naming: naming)
  }

  func forLooks() throws(StoreError) -> any LibraryCatalog { self }

  private func asListed(_ identity: FileIdentity, _ key: [UInt8]) -> FileIdentity {
    var listed = identity
    listed.device = devices[key] ?? identity.device
    return listed
  }

  /// Holds the part; gives where its cursor stands.
  private var holding: Question<Int64> {
    Question(
      """
      SELECT cursor FROM import_part
      WHERE run = $1 AND number = $2 AND token = $3 AND state = 'taken' FOR UPDATE
      """, PostgresImportRuns.values(claim)
    ) { answer in
      guard let cursor = answer.rows.first?.number(0) else { throw StoreError.lostClaim }
      return cursor
    }
  }

  private func counting(
    _ decision: GroupDecision, from cursor: Int64
  ) throws -> [Question<Void>] {
    var totals = ImportSummary()
    for file in decision.told { totals.count(file) }
    let values = [
      decision.told.count, totals.imported, totals.duplicates, totals.unchanged, totals.skipped,
      totals.failed, totals.bytesRead, totals.bytesWritten,
    ]
    return [
      // Each once: one that has an outcome, or that is not of this run, is touched by nobody.
      try InputLines.note(decision.told, run: claim.run, from: cursor),
      Self.touching(
        1,
        """
        UPDATE import_part SET cursor = cursor + $4, imported = imported + $5,
          duplicates = duplicates + $6, unchanged = unchanged + $7, skipped = skipped + $8,
          failed = failed + $9, bytes_read = bytes_read + $10, bytes_written = bytes_written + $11,
          leased_until = clock_timestamp() + $12::double precision * interval '1 second',
          state = CASE WHEN cursor + $4 = end_input THEN 'done' ELSE state END,
          token = CASE WHEN cursor + $4 = end_input THEN NULL ELSE token END
        WHERE run = $1 AND number = $2 AND token = $3
        """,
        PostgresImportRuns.values(claim) + values.map { FieldValue($0) } + [.double(claim.lease)]),
    ]
  }

  /// A change that has to touch so many rows.
  static func touching(
    _ count: Int, _ sql: String, _ values: [FieldValue]
  ) -> Question<Void> {
    Question(sql, values) { answer in
      guard answer.touched == count else { throw StoreError.fault(what: "import-count") }
    }
  }
}
