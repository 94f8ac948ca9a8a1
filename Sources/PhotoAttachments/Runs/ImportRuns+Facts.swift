import Foundation

extension ImportRuns {
  /// Returns the progress of one run or of all runs, newest first. Skips rows that cannot be decoded.
  package func facts(of run: Int64?) throws(StoreError) -> [RunFacts] {
    try database.read { t in
      let workers = try workers(of: run, t)
      return try t.rows(
        """
        SELECT id, content, import_run.state, inputs, bytes,
          extract(epoch FROM begun_at)::double precision,
          extract(epoch FROM ended_at)::double precision,
          extract(epoch FROM coalesce(ended_at, clock_timestamp()) - begun_at)::double precision,
          count(number), count(number) FILTER (WHERE import_part.state = 'done'),
          \(Self.sums)
        FROM import_run LEFT JOIN import_part ON run = id
        WHERE $1::bigint IS NULL OR id = $1 GROUP BY id ORDER BY id DESC
        """, [run.map(FieldValue.int) ?? .null]
      ).compactMap { facts($0, workers) }
    }
  }

  private static let counts = [
    "imported", "duplicates", "unchanged", "skipped", "failed", "bytes_read", "bytes_written",
  ]
  private static let sums = counts.map { "coalesce(sum(\($0)), 0)::bigint" }
    .joined(separator: ", ")

  private func workers(
    of run: Int64?, _ t: Transaction
  ) throws -> [Int64: [RunFacts.Worker]] {
    var workers: [Int64: [RunFacts.Worker]] = [:]
    for row in try t.rows(
      """
      SELECT run, number, worker, leased_until > clock_timestamp() FROM import_part
      WHERE state = 'taken' AND ($1::bigint IS NULL OR run = $1) ORDER BY worker, number
      """, [run.map(FieldValue.int) ?? .null])
    {
      guard let run = row.number(0), let part = row.number(1) else { continue }
      workers[run, default: []].append(
        .init(name: row.text(2) ?? "", part: part, isAlive: row.isTrue(3)))
    }
    return workers
  }

  private func facts(_ row: ResultRow, _ workers: [Int64: [RunFacts.Worker]]) -> RunFacts? {
    func count(_ column: Int) -> Int { Int(row.number(column) ?? 0) }
    guard let id = row.number(0), let order = Self.order(row.text(1)),
      let state = row.text(2).flatMap(RunFacts.State.init(rawValue:)), let begun = row.double(5)
    else { return nil }
    let inputs = ImportSurvey(files: count(3), bytes: count(4))
    var totals = ImportSummary()
    for (index, field) in ImportSummary.counts.enumerated() {
      totals[keyPath: field] = count(10 + index)
    }
    totals.seconds = row.double(7) ?? 0
    return RunFacts(
      id: id, order: order, state: state, inputs: inputs, parts: count(8), partsDone: count(9),
      totals: totals, begun: Date(timeIntervalSince1970: begun),
      ended: row.double(6).map { Date(timeIntervalSince1970: $0) }, workers: workers[id] ?? [])
  }

  /// Returns the cursor positions of a run's parts in order, starting at one part.
  package func cursors(
    _ run: Int64, from part: Int64
  ) throws(StoreError) -> [PartCursor] {
    try database.rows(
      """
      SELECT number, first_input, end_input, cursor FROM import_part
      WHERE run = $1 AND number >= $2 AND (cursor > first_input OR number = $2) ORDER BY number
      """, [.int(run), .int(part)]
    ).compactMap { row in
      guard let number = row.number(0), let first = row.number(1), let end = row.number(2),
        let cursor = row.number(3)
      else { return nil }
      return PartCursor(number: number, inputs: first..<end, cursor: cursor)
    }
  }

  /// Returns the results of counted inputs in order.
  package func results(
    _ run: Int64, _ places: Range<Int64>
  ) throws(StoreError) -> [RunResult] {
    try database.rows(
      """
      SELECT place, path, key, device, inode, size, modified, is_linked,
        outcome, import_input.photo, tier, refusal, \(PhotoRows.columns)
      FROM import_input
        LEFT JOIN photo ON outcome = 'imported' AND photo."id" = import_input.photo
      WHERE run = $1 AND place >= $2 AND place < $3 AND outcome IS NOT NULL ORDER BY place
      """, [.int(run), .int(places.lowerBound), .int(places.upperBound)]
    ).compactMap { row in
      guard let place = row.number(0), let path = row.data(1), let size = row.number(5),
        let outcome = InputRows.outcome(row, from: 8)
      else { return nil }
      return RunResult(
        place: place, path: Array(path), sizeBytes: Int(size), outcome: outcome,
        file: InputRows.file(row, from: 2))
    }
  }
}
