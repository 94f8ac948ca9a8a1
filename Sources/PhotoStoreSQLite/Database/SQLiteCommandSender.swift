import GRDB
import PhotoAttachments

/// Sends the commands of a transaction to its connection.
final class SQLiteCommandSender: CommandSender {
  private let db: Database
  private let names: TableNames

  init(_ db: Database, _ names: TableNames) {
    self.db = db
    self.names = names
  }

  func send(_ commands: [Command]) throws -> [CommandResult] {
    try commands.map { command in
      let sql = names.sql(of: command)
      // A host's connections don't have the function yet.
      if names !== TableNames.plain, sql.contains(Self.differingBits.name) {
        db.add(function: Self.differingBits)
      }
      let statement =
        command.isRepeated ? try db.cachedStatement(sql: sql) : try db.makeStatement(sql: sql)
      let values = StatementArguments(try command.values.map { try $0.databaseValue })
      if statement.columnCount == 0 {
        try statement.execute(arguments: values)
        return CommandResult(rows: [], touched: db.changesCount)
      }
      var rows: [ResultRow] = []
      let found = try Row.fetchCursor(statement, arguments: values)
      while let row = try found.next() {
        rows.append(ResultRow((0..<row.count).map { FieldValue(row[$0] as DatabaseValue) }))
      }
      return CommandResult(rows: rows, touched: db.changesCount)
    }
  }

  func mapped(_ error: any Error) -> StoreError {
    StoreError(catalog: error, path: "", busySeconds: 0, errno: db.systemErrno)
  }

  /// The SQL function that `Dialect.differingBits` calls.
  static let differingBits = DatabaseFunction("differing_bits", argumentCount: 2, pure: true) {
    guard let one = Int64.fromDatabaseValue($0[0]), let other = Int64.fromDatabaseValue($0[1])
    else { return nil }
    return (one ^ other).nonzeroBitCount
  }
}

extension FieldValue {
  init(_ value: DatabaseValue) {
    switch value.storage {
    case .null: self = .null
    case .int64(let number): self = .int(number)
    case .double(let number): self = .double(number)
    case .string(let text): self = .text(text)
    case .blob(let data): self = .data(data)
    }
  }

  /// The value for SQLite.
  ///
  /// - Throws: `StoreError.database(.failed)` for a text with NUL. GRDB would cut it off there, and a key that begins
  ///   like another one would be taken for it.
  var databaseValue: DatabaseValue {
    get throws(StoreError) {
      switch self {
      case .null: return .null
      case .int(let number): return number.databaseValue
      case .double(let number): return number.databaseValue
      case .text(let text):
        guard !text.utf8.contains(0) else {
          throw .database(.failed, detail: "a text contains NUL")
        }
        return text.databaseValue
      case .data(let data): return data.databaseValue
      }
    }
  }
}
