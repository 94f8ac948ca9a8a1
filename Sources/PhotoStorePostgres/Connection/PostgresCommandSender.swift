import PhotoAttachments

/// Sends the commands of a transaction to its connection. The transaction begins with the first commands.
final class PostgresCommandSender: CommandSender {
  private let connection: PostgresConnection
  private let pool: PostgresPool
  /// The commands that begin the transaction. Empty after they were sent.
  private var opening: [Command]
  /// The result of the last opening command. In a transaction that writes, this is the transaction's id (see
  /// `CommitMark`).
  private(set) var number: String?

  /// - Parameter opening: the commands that begin the transaction. They are sent together with its first commands.
  init(_ connection: PostgresConnection, of pool: PostgresPool, opening: [Command]) {
    self.connection = connection
    self.pool = pool
    self.opening = opening
  }

  /// `true` if the transaction has begun, so that it must be ended.
  var isBegun: Bool { opening.isEmpty }

  /// Begins the transaction now, because work outside of it depends on its locks.
  func begin() throws(PostgresError) { _ = try send([]) }

  func send(_ commands: [Command]) throws(PostgresError) -> [CommandResult] {
    let first = opening
    opening = []
    let answers = try connection.execute(first + commands)
    if !first.isEmpty { number = answers[first.count - 1].rows.first?.text(0) }
    return Array(answers.dropFirst(first.count))
  }

  func mapped(_ error: any Error) -> StoreError { pool.mapped(error) }
}
