package import PhotoAttachments
import Synchronization
import Testing

/// One rule of `RecordsDatabase` that every driver has to keep. Rules use the table `erasure`.
package enum DatabaseRule: String, CaseIterable, Sendable, CustomTestStringConvertible {
  case values = "Values keep their places and their bits, whatever the order they are named in"
  case lists = "A value is found among the texts of a list, whatever is in them"
  case answers = "Answers come in the order of their questions, each of what was written before it"
  case failed = "A failed command ends the transaction, whoever catches its error"
  case undone = "What is undone, or a dry run, leaves nothing and is heard by none"
  case news = "What waits for the commit happens after it, in order"

  package var testDescription: String { rawValue }

  /// Returns how a database breaks the rule; empty if it keeps it.
  package func findings(in database: any RecordsDatabase) -> [String] {
    let findings = Findings()
    do { try check(database, findings) } catch { findings.add("\(error)") }
    return findings.all
  }

  private func check(_ database: any RecordsDatabase, _ found: Findings) throws {
    func marks() throws -> [String] {
      try database.rows("SELECT mark FROM erasure ORDER BY mark").compactMap { $0.text(0) }
    }
    func add(_ mark: String, _ t: Transaction) throws {
      try t.execute("INSERT INTO erasure (mark) VALUES ($1)", [.text(mark)])
    }
    switch self {
    case .values:
      let row = try database.rows(
        """
        SELECT CAST($2 AS text), CAST($1 AS bigint), CAST($4 AS double precision),
          CAST($3 AS bigint), $2 <> 'ż', CAST($5 AS text)
        """, [.int(.max), .text("ż$1"), .int(.min), .double(0.1), .null]
      ).first
      let expected: [FieldValue] = [
        .text("ż$1"), .int(.max), .double(0.1), .int(.min), .int(1), .null,
      ]
      found.expect(row?.values == expected, "\(row?.values ?? [])")
    case .lists:
      let texts = ["a", "", "\"", "\\", "{a,b}", "ż\n'", "$1"]
      try database.write { try Erasures.insert(texts, $0) }
      let among = database.dialect.among("$1")
      for some in [[], Array(texts.prefix(3)), texts] {
        let rows = try database.rows("SELECT mark FROM erasure WHERE mark \(among)", [.list(some)])
        found.expect(Set(rows.compactMap { $0.text(0) }) == Set(some), "\(some)")
      }
    case .answers:
      let (before, _, after, touched) = try database.write { t in
        let count = Query("SELECT count(*) FROM erasure") { $0.rows.first?.number(0) }
        return try t.fetch(
          count, Query("INSERT INTO erasure (mark) VALUES ($1)", [.text("a")]), count,
          Query("DELETE FROM erasure WHERE mark = $1", [.text("a")]) { $0.touched })
      }
      found.expect(before == 0 && after == 1 && touched == 1, "\(String(describing: after))")
    case .failed:
      do {
        try database.write { t in
          try add("a", t)
          do { try t.execute("INSERT INTO erasure (mark) VALUES ($1)", [.null]) } catch {}
        }
        found.add("nothing thrown")
      } catch {}
      found.equal(try marks(), [])
    case .undone:
      let heard = Heard()
      try database.write(dryRun: true) { t in
        try add("a", t)
        t.afterCommit { heard.add("dry run") }
      }
      let told = try database.write { t in
        try add("b", t)
        t.afterCommit { heard.add("undone") }
        t.rollsBack = true
        return "no"
      }
      found.expect(told == "no" && heard.all.isEmpty, "\(heard.all)")
      found.equal(try marks(), [])
    case .news:
      let heard = Heard()
      for mark in ["a", "b"] {
        try database.write { t in
          t.afterCommit { heard.add("first " + mark) }
          t.afterCommit { heard.add("then " + mark) }
          try add(mark, t)
          heard.add(mark)
        }
      }
      found.expect(
        heard.all == ["a", "first a", "then a", "b", "first b", "then b"], "\(heard.all)")
    }
  }
}

/// A recorder of events, in order.
private final class Heard: Sendable {
  private let list = Mutex<[String]>([])

  var all: [String] { list.withLock { $0 } }
  func add(_ text: String) { list.withLock { $0.append(text) } }
}
