import PhotoAttachments

/// A transaction on one connection, which begins with its first statement.
final class PostgresTransaction {
  private let connection: PostgresConnection
  /// What begins it; empty once that was sent.
  private var opening: [PostgresStatement]
  /// What the last statement that begins it answered.
  private(set) var number: String?
  /// Whether somebody outside was told of it, so that it cannot be begun again: set it before pictures
  /// are named or deleted.
  var isTold = false
  /// Whether it is to end without having happened.
  var isUndone = false
  /// What happens once it is committed, in the order of the commits.
  var news: [() -> Void] = []
  /// Whether a statement failed: then nothing of it is kept, whatever COMMIT answers.
  private(set) var hasFailed = false

  /// A transaction that nothing was asked of yet.
  ///
  /// - Parameter opening: what begins it, sent together with its first statements.
  init(_ connection: PostgresConnection, opening: [PostgresStatement]) {
    (self.connection, self.opening) = (connection, opening)
  }

  /// Whether there is something to end.
  var isBegun: Bool { opening.isEmpty }

  /// Begins it now, because it holds something that what is done outside depends on.
  func begin() throws(PostgresError) { _ = try send([]) }

  /// The rows of a statement.
  ///
  /// - Parameter isRepeated: whether the same text comes again, so that preparing it pays.
  @discardableResult
  func rows(
    _ sql: String, _ values: [FieldValue] = [], isRepeated: Bool = true
  ) throws(PostgresError) -> [PostgresRow] {
    try send([PostgresStatement(sql, values, isRepeated: isRepeated)])[0].rows
  }

  /// How many rows a statement touched.
  @discardableResult
  func run(
    _ sql: String, _ values: [FieldValue] = [], isRepeated: Bool = true
  ) throws(PostgresError) -> Int {
    try send([PostgresStatement(sql, values, isRepeated: isRepeated)])[0].touched
  }

  /// The answer to a question, asked in one round trip; each of its statements sees what was committed
  /// when its turn came.
  func ask<Value>(_ question: PostgresQuestion<Value>) throws -> Value {
    if question.statements.isEmpty { return try question.value([]) }
    return try question.value(try send(question.statements)[...])
  }

  /// The answers to several.
  func ask<each Value>(
    _ questions: repeat PostgresQuestion<each Value>
  ) throws -> (repeat each Value) {
    try ask(
      PostgresQuestion(repeat each questions) { (values: repeat each Value) in
        (repeat each values)
      })
  }

  private func send(
    _ statements: [PostgresStatement]
  ) throws(PostgresError) -> [PostgresAnswer] {
    let first = opening
    opening = []
    do {
      let answers = try connection.run(first + statements)
      if !first.isEmpty { number = answers[first.count - 1].rows.first?.text(0) }
      return Array(answers.dropFirst(first.count))
    } catch {
      hasFailed = true
      throw error
    }
  }
}
