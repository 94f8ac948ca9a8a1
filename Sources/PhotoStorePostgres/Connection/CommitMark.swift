import PhotoAttachments

/// What a transaction leaves behind so that it can be asked whether it was committed, also after the
/// answer was lost.
///
/// Its number alone does not say: a server that crashes forgets numbers whose records it had not
/// written yet, and gives them to others.
struct CommitMark {
  private let connection: Int64
  private let mark = Int64.random(in: 1 ... .max)
  /// The transaction's id (xid8), which the server answers to the last of `commands`.
  var number = ""

  /// The mark of a transaction on this connection.
  init(_ connection: PostgresConnection) { self.connection = connection.id }

  /// Commands that write the mark, right after BEGIN.
  var commands: [Command] {
    [
      Command(
        """
        INSERT INTO last_commit (connection, mark, at) VALUES ($1, $2, now())
        ON CONFLICT (connection) DO UPDATE SET mark = excluded.mark, at = excluded.at
        """, [.int(connection), .int(mark)]),
      Command("SELECT pg_current_xact_id()::text"),
    ]
  }

  /// Whether the transaction was committed; nil while it is under way.
  func isCommitted(asking other: PostgresConnection) throws(PostgresError) -> Bool? {
    if try isUnderWay(asking: other) { return nil }
    let rows = try other.run(
      "SELECT 1 FROM last_commit WHERE connection = $1 AND mark = $2",
      [.int(connection), .int(mark)], isRepeated: false
    ).rows
    return !rows.isEmpty
  }

  private func isUnderWay(asking other: PostgresConnection) throws(PostgresError) -> Bool {
    do {
      return try other.run(
        "SELECT pg_xact_status($1::text::xid8)", [.text(number)], isRepeated: false
      ).rows.first?.text(0) == "in progress"
    } catch  where error.code == "22023" {
      // The number is in the future: the server has crashed since, and forgot it.
      return false
    }
  }
}
