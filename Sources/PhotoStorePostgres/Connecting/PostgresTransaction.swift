import PhotoAttachments

/// A transaction under way on one connection.
final class PostgresTransaction {
  private let connection: PostgresConnection
  /// Whether somebody outside was told of it, so that it cannot be begun again: set it before pictures
  /// are named or deleted.
  var isTold = false
  /// Whether it is to end without having happened.
  var isUndone = false
  /// What happens once it is committed, in the order of the commits.
  var news: [() -> Void] = []
  /// Whether a statement failed: then nothing of it is kept, whatever COMMIT answers.
  private(set) var hasFailed = false

  init(_ connection: PostgresConnection) { self.connection = connection }

  /// The rows of a statement.
  ///
  /// - Parameter isRepeated: whether the same text comes again, so that preparing it pays.
  @discardableResult
  func rows(
    _ sql: String, _ values: [FieldValue] = [], isRepeated: Bool = true
  ) throws(PostgresError) -> [PostgresRow] {
    try answer(sql, values, isRepeated).rows
  }

  /// How many rows a statement touched.
  @discardableResult
  func run(
    _ sql: String, _ values: [FieldValue] = [], isRepeated: Bool = true
  ) throws(PostgresError) -> Int {
    try answer(sql, values, isRepeated).touched
  }

  private func answer(
    _ sql: String, _ values: [FieldValue], _ isRepeated: Bool
  ) throws(PostgresError) -> (rows: [PostgresRow], touched: Int) {
    do { return try connection.run(sql, values, isRepeated: isRepeated) } catch {
      hasFailed = true
      throw error
    }
  }
}
