import Foundation
import PhotoIngestion

/// Imports that many workers share. Keeps track of the remaining work, the worker that does it, and the results.
///
/// A run is a list of inputs, divided into parts. A worker claims a part and continues at the part's *cursor*. Each
/// group of inputs is recorded in one transaction together with its counts, its outcomes and the new cursor position.
/// The transaction first checks that the claim is still valid. The claim's token acts as a fence that keeps out a
/// worker that was presumed dead. Each input is therefore counted once, whichever process dies at any time. The
/// protocol is model-checked in Scripts/modelling/claims.pml.
///
/// Calls block and are atomic. Only a database that several machines share has the tables, so their SQL is
/// PostgreSQL's. The server's clock decides whether a worker is alive.
package struct ImportRuns: Sendable {
  let catalog: Catalog
  var database: any RecordsDatabase { catalog.database }

  package init(_ catalog: Catalog) { self.catalog = catalog }

  /// The days for which a finished run's inputs are kept for its followers, and the days for its counts.
  private static let inputDays = 2
  private static let runDays = 90

  /// Starts the run for an order, or returns the one that isn't done yet. If the listing of that run was not completed,
  /// it starts over, and the previous lister can no longer add inputs.
  package func begin(_ order: ImportOrder) throws(StoreError) -> RunStart {
    try database.write { t in
      // Serialize, so that two processes with the same request get the same run.
      try t.rows("SELECT pg_advisory_xact_lock(1346720848, 4)")
      try Self.forgetOld(t)
      let content = try Self.text(order)
      let origin = origin(of: order)
      let fingerprint = sha256(of: Array((origin + "\n" + content).utf8))
      let lister = UUID().uuidString
      let open = try t.rows(
        """
        SELECT id, state FROM import_run WHERE fingerprint = $1 AND state <> 'done' FOR UPDATE
        """, [.text(fingerprint)]
      ).first
      if let open, let id = open.number(0) {
        if open.text(1) == "working" { return RunStart(run: id, lister: nil) }
        // The listing was not completed. A process that is still listing stops because the lister has changed.
        try t.execute("DELETE FROM import_part WHERE run = $1", [.int(id)])
        try t.execute("DELETE FROM import_input WHERE run = $1", [.int(id)])
        try t.execute(
          """
          UPDATE import_run SET lister = $2, inputs = 0, bytes = 0, begun_at = clock_timestamp()
          WHERE id = $1
          """, [.int(id), .text(lister)])
        return RunStart(run: id, lister: lister)
      }
      let id = try LibraryRun.insert(names: order.names, t)
      try t.execute(
        """
        INSERT INTO import_run (id, fingerprint, content, origin, state, lister)
        VALUES ($1, $2, $3, $4, 'listing', $5)
        """, [.int(id), .text(fingerprint), .text(content), .text(origin), .text(lister)])
      return RunStart(run: id, lister: lister)
    }
  }

  /// Adds a part to a run that is being listed.
  ///
  /// - Parameter entries: the inputs, about one minute's work.
  /// - Returns: `false` if another process is listing the run now.
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
      try t.fetch(Query(all: InputRows.insertion(entries, run: list.run, from: first)))
      try t.execute(
        """
        INSERT INTO import_part (run, number, first_input, end_input, cursor)
        SELECT $1, coalesce(max(number) + 1, 0), $2, $3, $2 FROM import_part WHERE run = $1
        """, [.int(list.run), .int(first), .int(first + Int64(entries.count))])
      let bytes = entries.reduce(0) { $0 + ($1.file?.identity.size ?? 0) }
      try t.execute(
        "UPDATE import_run SET inputs = inputs + $2, bytes = bytes + $3 WHERE id = $1",
        [.int(list.run), FieldValue(entries.count), FieldValue(bytes)])
      return true
    }
  }

  /// Completes the list so that workers can start. Returns `false` if another process is listing the run now.
  package func complete(_ list: RunStart) throws(StoreError) -> Bool {
    guard let lister = list.lister else { return false }
    let isOurs = try database.write { t in
      try t.execute(
        """
        UPDATE import_run SET state = 'working', lister = NULL
        WHERE id = $1 AND lister = $2 AND state = 'listing'
        """, [.int(list.run), .text(lister)]) == 1
    }
    if isOurs { try settle(list.run) }
    return isOurs
  }

  /// Returns the runs that workers may work on, with the source that a worker must be able to see.
  package func selectWorking() throws(StoreError) -> [(id: Int64, source: ImportOrder.Source)] {
    try database.rows("SELECT id, content FROM import_run WHERE state = 'working' ORDER BY id")
      .compactMap { row in
        guard let id = row.number(0), let order = Self.order(row.text(1)) else { return nil }
        return (id, order.source)
      }
  }

  /// Marks a run as done if all of its parts are done.
  func settle(_ run: Int64) throws(StoreError) {
    _ = try database.write { t in
      try t.execute(
        """
        UPDATE import_run SET state = 'done', ended_at = clock_timestamp()
        WHERE id = $1 AND state = 'working' AND NOT EXISTS (
          SELECT 1 FROM import_part WHERE run = $1 AND state <> 'done')
        """, [.int(run)])
    }
  }

  /// Returns the origin under which files are recorded. An object is the same for all machines, but a file belongs to
  /// the machine that lists it.
  private func origin(of order: ImportOrder) -> String {
    if case .objects = order.source { catalog.store.origins.objects } else { catalog.origin }
  }

  private static func forgetOld(_ t: Transaction) throws {
    try t.execute(
      "DELETE FROM import_run WHERE state = 'done' AND ended_at < now() - interval '\(runDays) days'"
    )
    try t.execute(
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

  /// Decodes the order in a run's `content`. `nil` if another version wrote it in an unknown form.
  static func order(_ content: String?) -> ImportOrder? {
    content.flatMap { try? JSONDecoder().decode(ImportOrder.self, from: Data($0.utf8)) }
  }
}

/// The relation of a process that requests an import to its run.
package struct RunStart: Sendable, Equatable {
  package var run: Int64
  /// Identifies the process that lists the run. `nil` if the listing is complete.
  package var lister: String?
}

/// A part of a run, and how many of its inputs have been counted.
package struct PartCursor: Sendable, Equatable {
  package var number: Int64
  package var inputs: Range<Int64>
  /// The position of the first input that has not been counted.
  package var cursor: Int64
}

extension StoreError {
  /// Another worker now holds the part of a run.
  package static let lostClaim = StoreError.database(.lostClaim, detail: "")
}
