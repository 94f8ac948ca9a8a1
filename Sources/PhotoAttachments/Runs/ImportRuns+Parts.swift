import Foundation

extension ImportRuns {
  /// Claims a part of a run: one that no worker has, else one whose worker showed no sign of life for the
  /// length of its lease, by the database's clock. Nil when there is none now.
  ///
  /// - Parameters:
  ///   - worker: machine and process, for people.
  ///   - lease: seconds until others may believe that this worker is gone.
  package func claim(
    _ run: Int64, worker: String, lease: Double
  ) throws(StoreError) -> PartClaim? {
    let token = UUID().uuidString
    // Both are looked for among the few rows of an index of their own.
    let claimed = try database.write { t -> PartClaim? in
      for free in ["state = 'waiting'", "state = 'taken' AND leased_until < clock_timestamp()"] {
        let row = try t.rows(
          """
          WITH next AS MATERIALIZED (
            SELECT run, number FROM import_part WHERE run = $1 AND \(free)
            ORDER BY number LIMIT 1 FOR UPDATE SKIP LOCKED)
          UPDATE import_part AS part SET state = 'taken', token = $2, worker = $3,
            leased_until = clock_timestamp() + $4::double precision * interval '1 second',
            attempts = attempts + 1
          FROM next, import_run
          WHERE part.run = next.run AND part.number = next.number AND import_run.id = part.run
            AND import_run.state = 'working'
          RETURNING part.number, part.cursor, part.end_input, part.attempts,
            import_run.content, import_run.origin
          """, [.int(run), .text(token), .text(worker), .double(lease)]
        ).first
        guard let row else { continue }
        guard let number = row.number(0), let cursor = row.number(1), let end = row.number(2),
          let attempts = row.number(3), let order = Self.order(row.text(4)),
          let origin = row.text(5)
        else { throw StoreError.fault(.importPart) }
        return PartClaim(
          run: run, number: number, token: token, left: cursor..<end, attempts: Int(attempts),
          lease: lease, order: order, origin: origin)
      }
      return nil
    }
    // The worker that ended the last part may have died before it could say that the run is done.
    if claimed == nil { try settle(run) }
    return claimed
  }

  /// The inputs of a claim that are left, in their order.
  package func entries(of claim: PartClaim) throws(StoreError) -> [ListedEntry] {
    try InputRows.entries(
      database.rows(
        "SELECT \(InputRows.columns) FROM import_input "
          + "WHERE run = $1 AND place >= $2 AND place < $3 ORDER BY place",
        [.int(claim.run), .int(claim.left.lowerBound), .int(claim.left.upperBound)]))
  }

  /// Notes that the worker lives; false when the claim is lost.
  package func renew(_ claim: PartClaim) throws(StoreError) -> Bool {
    try database.write { t in
      try t.run(
        """
        UPDATE import_part
        SET leased_until = clock_timestamp() + $4::double precision * interval '1 second'
        WHERE run = $1 AND number = $2 AND token = $3
        """, Self.values(claim) + [.double(claim.lease)]) == 1
    }
  }

  /// Gives a part back, for the next to go on from where it stands; nothing when the claim is lost.
  package func giveBack(_ claim: PartClaim) throws(StoreError) {
    _ = try database.write { t in
      try t.run(
        """
        UPDATE import_part SET state = 'waiting', token = NULL, worker = NULL
        WHERE run = $1 AND number = $2 AND token = $3
        """, Self.values(claim))
    }
  }

  /// The catalog for the work on a claim. What it records is counted in the same transaction, which begins
  /// with a look whether the claim holds: it throws `StoreError.lostClaim`, and nothing happened, when it
  /// doesn't. The part's row is locked from there to the end, so that no other worker claims it in between.
  ///
  /// - Parameter entries: what `entries` returned.
  package func catalog(of claim: PartClaim, entries: [ListedEntry]) -> LibraryCatalog {
    let devices = Dictionary(
      entries.compactMap { $0.file.map { ($0.key, $0.identity.device) } }, uniquingKeysWith: { $1 })
    let dialect = database.dialect
    return LibraryCatalog(
      catalog,
      part: ImportPart(
        run: claim.run, origin: claim.origin, devices: devices, locking: { Self.locking(claim) },
        counting: { try Self.counting($0, from: $1, claim, dialect) }))
  }

  /// What names a claim: `run = $1 AND number = $2 AND token = $3`.
  private static func values(_ claim: PartClaim) -> [FieldValue] {
    [.int(claim.run), .int(claim.number), .text(claim.token)]
  }

  /// Holds the part; gives where its cursor stands.
  private static func locking(_ claim: PartClaim) -> Query<Int64> {
    Query(
      """
      SELECT cursor FROM import_part
      WHERE run = $1 AND number = $2 AND token = $3 AND state = 'taken' FOR UPDATE
      """, values(claim)
    ) { answer in
      guard let cursor = answer.rows.first?.number(0) else { throw StoreError.lostClaim }
      return cursor
    }
  }

  private static func counting(
    _ decision: GroupDecision, from cursor: Int64, _ claim: PartClaim, _ dialect: Dialect
  ) throws -> [Query<Void>] {
    var totals = ImportSummary()
    for file in decision.results { totals.count(file) }
    let values = [decision.results.count] + ImportSummary.counts.map { totals[keyPath: $0] }
    return [
      // Each once: one that has an outcome, or that is not of this run, is left alone.
      try InputRows.noting(decision.results, run: claim.run, from: cursor, dialect),
      touching(
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
        Self.values(claim) + values.map { FieldValue($0) } + [.double(claim.lease)]),
    ]
  }

  /// A change that has to touch so many rows.
  static func touching(
    _ count: Int, _ sql: String, _ values: [FieldValue]
  ) -> Query<Void> {
    Query(sql, values) { answer in
      guard answer.touched == count else { throw StoreError.fault(.importCount) }
    }
  }
}
