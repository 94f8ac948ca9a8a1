import PhotoAttachments

/// A transaction's way to its connection. It begins with the first commands.
final class PostgresCommandSender: CommandSender {
  private let connection: PostgresConnection
  private let pool: PostgresPool
  /// What begins it; empty once that was sent.
  private var opening: [Command]
  /// What the last command that begins it answered.
  private(set) var number: String?

  /// - Parameter opening: what begins it, sent together with its first commands.
  init(_ connection: PostgresConnection, of pool: PostgresPool, opening: [Command]) {
    self.connection = connection
    self.pool = pool
    self.opening = opening
  }

  /// Whether there is something to end.
  var isBegun: Bool { opening.isEmpty }

  /// Begins it now, because it holds something that what is done outside depends on.
  func begin() throws(PostgresError) { _ = try send([]) }

  func send(_ commands: [Command]) throws(PostgresError) -> [CommandResult] {
    let first = opening
    opening = []
    let answers = try connection.run(first + commands)
    if !first.isEmpty { number = answers[first.count - 1].rows.first?.text(0) }
    return Array(answers.dropFirst(first.count))
  }

  func mapped(_ error: any Error) -> StoreError { pool.mapped(error) }
}
