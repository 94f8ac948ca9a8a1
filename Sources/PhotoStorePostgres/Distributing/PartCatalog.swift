import Foundation
import PhotoAttachments

/// How a worker at a part records: what is recorded is counted in the same transaction, which begins with
/// a look whether the claim holds. The part's row is held from there to the end, so that no other worker
/// claims it in between.
struct PartCounting: Sendable {
  let claim: PartClaim

  /// The part, whose inputs are `entries`.
  func part(_ entries: [ListedEntry]) -> ImportPart {
    ImportPart(
      origin: claim.origin,
      devices: Dictionary(
        entries.compactMap { $0.file.map { ($0.key, $0.identity.device) } },
        uniquingKeysWith: { $1 }),
      holding: { holding }, counting: { try counting($0, from: $1) })
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
