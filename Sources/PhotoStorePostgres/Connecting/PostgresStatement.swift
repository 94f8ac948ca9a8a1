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

/// Statements, and what their answers mean. Several questions are asked in one round trip
/// (`PostgresTransaction.ask`).
struct PostgresQuestion<Value> {
  let statements: [PostgresStatement]
  /// What the answers mean, one for each statement.
  let value: (ArraySlice<PostgresAnswer>) throws -> Value

  /// A question of one statement.
  init(
    _ sql: String, _ values: [FieldValue] = [], isRepeated: Bool = true,
    value: @escaping (PostgresAnswer) throws -> Value
  ) {
    statements = [PostgresStatement(sql, values, isRepeated: isRepeated)]
    self.value = { try value($0[$0.startIndex]) }
  }

  /// Several questions as one.
  init<each Part>(
    _ parts: repeat PostgresQuestion<each Part>, value: @escaping (repeat each Part) throws -> Value
  ) {
    var statements: [PostgresStatement] = []
    for part in repeat each parts { statements += part.statements }
    self.statements = statements
    self.value = { answers in
      var rest = answers
      return try value(repeat try (each parts).next(of: &rest))
    }
  }

  /// What this one's answers mean, the first of those that are left.
  private func next(of rest: inout ArraySlice<PostgresAnswer>) throws -> Value {
    defer { rest = rest.dropFirst(statements.count) }
    return try value(rest.prefix(statements.count))
  }
}

extension PostgresQuestion<Void> {
  /// One whose answer says nothing.
  init(_ sql: String, _ values: [FieldValue] = [], isRepeated: Bool = true) {
    self.init(sql, values, isRepeated: isRepeated) { _ in }
  }

  /// Any number of them as one.
  init(all parts: [PostgresQuestion<Void>]) {
    statements = parts.flatMap(\.statements)
    value = { answers in
      var rest = answers
      for part in parts { try part.next(of: &rest) }
    }
  }
}
