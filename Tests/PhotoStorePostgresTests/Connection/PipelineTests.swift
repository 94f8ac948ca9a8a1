import PhotoAttachments
import TestPostgres
import Testing

@testable import PhotoStorePostgres

/// Tests of several statements in one round trip, including failures.
@Suite(
  "Statements that are sent together",
  .enabled(if: TestServer.shared != nil, Comment(rawValue: TestServer.absence)))
struct PipelineTests {
  let database: TestDatabase
  let connection: PostgresConnection

  init() throws {
    database = try TestDatabase()
    connection = try database.store().server.pool.connect()
    try connection.execute("CREATE TEMPORARY TABLE kept (number bigint PRIMARY KEY, text text)")
  }

  private func keep(_ number: Int64, isRepeated: Bool = true) -> Command {
    Command(
      "INSERT INTO kept VALUES ($1, $2)", [.int(number), .null], isRepeated: isRepeated)
  }

  private func kept() throws -> [Int64?] {
    try connection.execute("SELECT number FROM kept ORDER BY number").map { $0.number(0) }
  }

  @Test("Results are in the order of the statements, prepared or not")
  func order() throws {
    for isRepeated in [true, false, true] {
      let answers = try connection.execute([
        Command("SELECT $1::bigint", [.int(1)], isRepeated: isRepeated),
        Command("SELECT $1::bigint", [.int(2)], isRepeated: isRepeated),
        Command("SELECT generate_series(1, 3)", isRepeated: isRepeated),
        Command("UPDATE kept SET text = 'x'"),
      ])
      #expect(answers.map { $0.rows.map { $0.number(0) } } == [[1], [2], [1, 2, 3], []])
      #expect(answers.last?.touched == 0)
    }
    #expect(try connection.execute([]).isEmpty)
  }

  @Test("After a failed statement, the rest of the batch is skipped, and the next batch runs")
  func failures() throws {
    let wrong = Command("SELECT nothing FROM nowhere")
    for isRepeated in [true, false] {
      try connection.execute("BEGIN")
      let error = #expect(throws: PostgresError.self) {
        try connection.execute([keep(1, isRepeated: isRepeated), wrong, keep(2)])
      }
      #expect(error?.code == "42P01")
      #expect(connection.isInTransaction)
      try connection.execute("ROLLBACK")
      #expect(try kept() == [])
    }
    // Outside a transaction, the statements of a batch are one transaction.
    #expect(throws: PostgresError.self) { try connection.execute([keep(1), keep(1)]) }
    #expect(try kept() == [])
    // A statement that couldn't be prepared in that batch can be prepared later, even with the same text.
    #expect(throws: PostgresError.self) { try connection.execute([wrong]) }
    _ = try connection.execute([keep(3), keep(4)])
    #expect(try kept() == [3, 4])
  }

  @Test("A value that PostgreSQL can't store is refused before anything is sent")
  func zeroBytes() throws {
    let error = #expect(throws: PostgresError.self) {
      try connection.execute([keep(1), Command("SELECT $1", [.text("a\u{0}b")])])
    }
    #expect(error?.code == "22021")
    #expect(try kept() == [])
  }

  @Test("Large statements and large results don't block each other")
  func large() throws {
    let text = String(repeating: "x", count: 4 << 20)
    let answers = try connection.execute(
      (0..<6).map { _ in Command("SELECT $1::text", [.text(text)]) })
    #expect(answers.allSatisfy { $0.rows[0].text(0) == text })
  }

  @Test("A connection that breaks in the meantime is reported as lost")
  func lostConnection() throws {
    let error = #expect(throws: PostgresError.self) {
      try connection.execute([
        keep(1), Command("SELECT pg_terminate_backend(pg_backend_pid())"), keep(2),
      ])
    }
    #expect(error?.isLost == true)
    #expect(throws: PostgresError.self) { try connection.execute([keep(3)]) }
  }
}
