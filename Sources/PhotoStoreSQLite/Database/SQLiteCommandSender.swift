import GRDB
import PhotoAttachments
import Synchronization

/// Sends the commands of a transaction to its connection.
final class SQLiteCommandSender: CommandSender {
  private let db: Database

  init(_ db: Database) { self.db = db }

  func send(_ commands: [Command]) throws -> [CommandResult] {
    try commands.map { command in
      let sql = command.isRepeated ? Self.repeated(command.sql) : Self.numbered(command.sql)
      let statement =
        command.isRepeated ? try db.cachedStatement(sql: sql) : try db.makeStatement(sql: sql)
      let values = StatementArguments(command.values.map(\.databaseValue))
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

  /// The results of `numbered` for repeated commands, by the original SQL.
  static let texts = Mutex<[String: String]>([:])

  private static func repeated(_ sql: String) -> String {
    texts.withLock { texts in
      if let known = texts[sql] { return known }
      let text = numbered(sql)
      texts[sql] = text
      return text
    }
  }

  /// Replaces `$1` by `?1`. SQLite takes `$1` for a name and binds names in the order of their first appearance.
  private static func numbered(_ sql: String) -> String {
    var bytes = Array(sql.utf8)
    for (index, byte) in bytes.enumerated().dropLast()
    where byte == UInt8(ascii: "$") && (48...57).contains(bytes[index + 1]) {
      bytes[index] = UInt8(ascii: "?")
    }
    return String(decoding: bytes, as: UTF8.self)
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

  var databaseValue: DatabaseValue {
    switch self {
    case .null: .null
    case .int(let number): number.databaseValue
    case .double(let number): number.databaseValue
    case .text(let text): text.databaseValue
    case .data(let data): data.databaseValue
    }
  }
}
