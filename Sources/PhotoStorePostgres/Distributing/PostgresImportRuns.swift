import Foundation
package import PhotoAttachments
import PhotoIngestion

/// Runs beside the records of a database. Only the server's clock tells whether a worker lives.
package struct PostgresImportRuns: ImportRuns {
  let catalog: PostgresCatalog
  var database: PostgresDatabase { catalog.server }

  /// The runs of the database that a catalog is in.
  package init(_ catalog: PostgresCatalog) { self.catalog = catalog }

  /// Days that a run's inputs are kept once it is done, for who follows it, and that its counts are.
  private static let (inputDays, runDays) = (2, 90)

  package func begin(_ order: ImportOrder) throws(StoreError) -> RunStart {
    try database.write { t in
      // Two who ask for the same get one run.
      try t.rows("SELECT pg_advisory_xact_lock(1346720848, 4)")
      try Self.forgetOld(t)
      let (content, origin) = (try Self.text(order), origin(of: order))
      let fingerprint = sha256(of: Array((origin + "\n" + content).utf8))
      let lister = UUID().uuidString
      let open = try t.rows(
        """
        SELECT id, state FROM import_run WHERE fingerprint = $1 AND state <> 'done' FOR UPDATE
        """, [.text(fingerprint)]
      ).first
      if let open, let id = open.number(0) {
        if open.text(1) == "working" { return RunStart(run: id, lister: nil) }
        // Its list was not completed. Whoever is still at it finds another lister there.
        try t.run("DELETE FROM import_part WHERE run = $1", [.int(id)])
        try t.run("DELETE FROM import_input WHERE run = $1", [.int(id)])
        try t.run(
          """
          UPDATE import_run SET lister = $2, inputs = 0, bytes = 0, begun_at = clock_timestamp()
          WHERE id = $1
          """, [.int(id), .text(lister)])
        return RunStart(run: id, lister: lister)
      }
      let id = try t.rows(
        """
        INSERT INTO import_run (fingerprint, content, origin, state, lister)
        VALUES ($1, $2, $3, 'listing', $4) RETURNING id
        """, [.text(fingerprint), .text(content), .text(origin), .text(lister)]
      ).first?.number(0)
      guard let id else { throw StoreError.fault(what: "import-run") }
      return RunStart(run: id, lister: lister)
    }
  }

  package func enlist(
    _ entries: [ListedEntry], in list: RunStart
  ) throws(StoreError) -> Bool {
    guard !entries.isEmpty, let lister = list.lister else { return list.lister != nil }
    return try database.write { t in
      guard
        let first = try t.rows(
          """
          SELECT inputs FROM import_run WHERE id = $1 AND lister = $2 AND state = 'listing'
          FOR UPDATE
          """, [.int(list.run), .text(lister)]
        ).first?.number(0)
      else { return false }
      try InputLines.insert(entries, run: list.run, from: first, t)
      try t.run(
        """
        INSERT INTO import_part (run, number, first_input, end_input, cursor)
        SELECT $1, coalesce(max(number) + 1, 0), $2, $3, $2 FROM import_part WHERE run = $1
        """, [.int(list.run), .int(first), .int(first + Int64(entries.count))])
      let bytes = entries.reduce(0) { $0 + ($1.file?.identity.size ?? 0) }
      try t.run(
        "UPDATE import_run SET inputs = inputs + $2, bytes = bytes + $3 WHERE id = $1",
        [.int(list.run), FieldValue(entries.count), FieldValue(bytes)])
      return true
    }
  }

  package func complete(_ list: RunStart) throws(StoreError) -> Bool {
    guard let lister = list.lister else { return false }
    let isOurs = try database.write { t in
      try t.run(
        """
        UPDATE import_run SET state = 'working', lister = NULL
        WHERE id = $1 AND lister = $2 AND state = 'listing'
        """, [.int(list.run), .text(lister)]) == 1
    }
    if isOurs { try settle(list.run) }
    return isOurs
  }

  package func working() throws(StoreError) -> [(id: Int64, source: ImportOrder.Source)] {
    try database.rows("SELECT id, content FROM import_run WHERE state = 'working' ORDER BY id")
      .compactMap { row in
        guard let id = row.number(0), let order = Self.order(row.text(1)) else { return nil }
        return (id, order.source)
      }
  }

  /// Ends a run all of whose parts are done.
  func settle(_ run: Int64) throws(StoreError) {
    _ = try database.write { t in
      try t.run(
        """
        UPDATE import_run SET state = 'done', ended_at = clock_timestamp()
        WHERE id = $1 AND state = 'working' AND NOT EXISTS (
          SELECT 1 FROM import_part WHERE run = $1 AND state <> 'done')
        """, [.int(run)])
    }
  }

  /// Objects are the same from everywhere; files are of the machine that lists them.
  private func origin(of order: ImportOrder) -> String {
    if case .objects = order.source { PostgresCatalog.ofStores } else { catalog.origin }
  }

  private static func forgetOld(_ t: Transaction) throws {
    try t.run(
      "DELETE FROM import_run WHERE state = 'done' AND ended_at < now() - interval '\(runDays) days'"
    )
    try t.run(
      """
      DELETE FROM import_input USING import_run
      WHERE run = id AND state = 'done' AND ended_at < now() - interval '\(inputDays) days'
      """)
  }

  private static func text(_ order: ImportOrder) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(order), as: UTF8.self)
  }

  /// The order in a run's `content`; nil for one of a version that we do not read.
  static func order(_ content: String?) -> ImportOrder? {
    content.flatMap { try? JSONDecoder().decode(ImportOrder.self, from: Data($0.utf8)) }
  }
}
