import PhotoAttachments

/// A statement with its values.
struct PostgresStatement {
  let sql: String
  let values: [FieldValue]
  /// Whether the same text comes again, so that preparing it pays.
  let isRepeated: Bool

  init(_ sql: String, _ values: [FieldValue] = [], isRepeated: Bool = true) {
    (self.sql, self.values, self.isRepeated) = (sql, values, isRepeated)
  }

  /// The values as a server reads them.
  func parameters() throws(PostgresError) -> [String?] {
    try values.map { value throws(PostgresError) in try value.parameter }
  }
}

/// What a server answered to a statement.
struct PostgresAnswer {
  var rows: [PostgresRow]
  /// How many rows it touched.
  var touched: Int
}

/// A statement, and what its answer means. Several are asked in one round trip
/// (`PostgresTransaction.ask`).
struct PostgresQuestion<Value> {
  let statement: PostgresStatement
  let value: (PostgresAnswer) throws -> Value

  init(
    _ sql: String, _ values: [FieldValue] = [], isRepeated: Bool = true,
    value: @escaping (PostgresAnswer) throws -> Value
  ) {
    statement = PostgresStatement(sql, values, isRepeated: isRepeated)
    self.value = value
  }
}

extension PostgresQuestion<Void> {
  /// One whose answer says nothing.
  init(_ sql: String, _ values: [FieldValue] = [], isRepeated: Bool = true) {
    self.init(sql, values, isRepeated: isRepeated) { _ in }
  }
}
