import Foundation
package import PhotoAttachments

/// Claims on parts.
extension PostgresImportRuns {
  /// First what nobody has, then what its worker seems to have left: both are looked for among the few
  /// rows of an index of their own.
  package func claim(
    _ run: Int64, worker: String, lease: Double
  ) throws(StoreError) -> PartClaim? {
    let token = UUID().uuidString
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
        else { throw StoreError.fault(what: "import-part") }
        return PartClaim(
          run: run, number: number, token: token, left: cursor..<end, attempts: Int(attempts),
          lease: lease, order: order, origin: origin)
      }
      return nil
    }
    // Who ended the last part may have died before it could say that the run is done.
    if claimed == nil { try settle(run) }
    return claimed
  }

  package func entries(of claim: PartClaim) throws(StoreError) -> [ListedEntry] {
    try InputLines.entries(
      database.rows(
        "SELECT \(InputLines.columns) FROM import_input "
          + "WHERE run = $1 AND place >= $2 AND place < $3 ORDER BY place",
        [.int(claim.run), .int(claim.left.lowerBound), .int(claim.left.upperBound)]))
  }

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

  package func giveBack(_ claim: PartClaim) throws(StoreError) {
    _ = try database.write { t in
      try t.run(
        """
        UPDATE import_part SET state = 'waiting', token = NULL, worker = NULL
        WHERE run = $1 AND number = $2 AND token = $3
        """, Self.values(claim))
    }
  }

  package func catalog(
    of claim: PartClaim, entries: [ListedEntry]
  ) -> LibraryCatalog {
    LibraryCatalog(Catalog(catalog), part: PartCounting(claim: claim).part(entries))
  }

  /// What names a claim: `run = $1 AND number = $2 AND token = $3`.
  static func values(_ claim: PartClaim) -> [FieldValue] {
    [.int(claim.run), .int(claim.number), .text(claim.token)]
  }
}
