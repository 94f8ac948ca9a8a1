import Foundation

extension ImportRuns {
  /// Claims a part of a run. Prefers a part that is free. Otherwise takes one whose worker has not renewed its lease in
  /// time, by the database's clock. `nil` if no part is available now.
  ///
  /// - Parameters:
  ///   - worker: the machine and process, for display.
  ///   - lease: the time in seconds after which other workers may take over.
  package func claim(
    _ run: Int64, worker: String, lease: Double
  ) throws(StoreError) -> PartClaim? {
    let token = UUID().uuidString
    // Two queries instead of one with `OR`, because each can use a small index of its own.
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
    // The worker of the last part may have died before it could mark the run as done.
    if claimed == nil { try settle(run) }
    return claimed
  }

  /// Returns the remaining inputs of a claim in order.
  package func entries(of claim: PartClaim) throws(StoreError) -> [ListedEntry] {
    try InputRows.entries(
      database.rows(
        "SELECT \(InputRows.columns) FROM import_input "
          + "WHERE run = $1 AND place >= $2 AND place < $3 ORDER BY place",
        [.int(claim.run), .int(claim.left.lowerBound), .int(claim.left.upperBound)]))
  }

  /// Renews the lease of a claim. Returns `false` if the claim is lost.
  package func renew(_ claim: PartClaim) throws(StoreError) -> Bool {
    try database.write { t in
      try t.execute(
        """
        UPDATE import_part
        SET leased_until = clock_timestamp() + $4::double precision * interval '1 second'
        WHERE run = $1 AND number = $2 AND token = $3
        """, Self.values(claim) + [.double(claim.lease)]) == 1
    }
  }

  /// Gives a part back, so that the next worker continues at its cursor. Has no effect if the claim is lost.
  package func giveBack(_ claim: PartClaim) throws(StoreError) {
    _ = try database.write { t in
      try t.execute(
        """
        UPDATE import_part SET state = 'waiting', token = NULL, worker = NULL
        WHERE run = $1 AND number = $2 AND token = $3
        """, Self.values(claim))
    }
  }

  /// Returns the catalog for the work on a claim. Each of its transactions also adds the files to the part's counts and
  /// advances the part's cursor. It starts by locking the part's row, which keeps other workers from claiming the part
  /// until it ends. If the claim is no longer valid, it throws `StoreError.lostClaim` and changes nothing.
  ///
  /// - Parameter entries: the entries that `entries(of:)` returned.
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

  /// Returns the values that identify a claim: `run = $1 AND number = $2 AND token = $3`.
  private static func values(_ claim: PartClaim) -> [FieldValue] {
    [.int(claim.run), .int(claim.number), .text(claim.token)]
  }

  /// Returns the query that locks the part and reads its cursor.
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
      // Records each outcome once. Fails if an input already has an outcome or does not belong to this run.
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

  /// Returns an update that fails unless it changes exactly this number of rows.
  static func touching(
    _ count: Int, _ sql: String, _ values: [FieldValue]
  ) -> Query<Void> {
    Query(sql, values) { answer in
      guard answer.touched == count else { throw StoreError.fault(.importCount) }
    }
  }
}
