import PhotoAttachments

/// A mark that a transaction writes, so that a client that lost the response to COMMIT can find out whether it was
/// committed.
///
/// The transaction's number isn't enough: a server that crashes loses numbers that were not on disk yet and assigns
/// them again.
struct CommitMark {
  private let connection: Int64
  private let mark = Int64.random(in: 1 ... .max)
  /// The transaction's id (xid8), which the last of `commands` returns.
  var number = ""

  /// Creates the mark of a transaction on this connection.
  init(_ connection: PostgresConnection) { self.connection = connection.id }

  /// The commands that write the mark, to send right after BEGIN.
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

  /// Returns `true` if the transaction was committed, and `nil` while it is in progress.
  func isCommitted(asking other: PostgresConnection) throws(PostgresError) -> Bool? {
    if try isUnderWay(asking: other) { return nil }
    let rows = try other.execute(
      "SELECT 1 FROM last_commit WHERE connection = $1 AND mark = $2",
      [.int(connection), .int(mark)], isRepeated: false
    ).rows
    return !rows.isEmpty
  }

  private func isUnderWay(asking other: PostgresConnection) throws(PostgresError) -> Bool {
    do {
      return try other.execute(
        "SELECT pg_xact_status($1::text::xid8)", [.text(number)], isRepeated: false
      ).rows.first?.text(0) == "in progress"
    } catch  where error.code == "22023" {
      // The number is in the future because the server crashed and lost it.
      return false
    }
  }
}
