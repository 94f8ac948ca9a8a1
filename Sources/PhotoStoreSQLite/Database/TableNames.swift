import PhotoAttachments
import Synchronization

/// The names of our tables and indexes in a database. In a host's database, they begin with a prefix.
///
/// All SQL is written without a prefix. This type adds it to every word that is one of the names, so a column of that
/// name gets it, too, in every command alike.
final class TableNames: Sendable {
  private let prefix: [UInt8]
  private let names: Set<String>
  /// The results of `sql(of:)` for repeated commands, by the original SQL.
  let texts = Mutex<[String: String]>([:])

  /// The names in a database of our own.
  static let plain = TableNames(prefix: "", creation: "")

  /// - Parameter creation: The SQL that creates the tables and indexes, without the prefix.
  init(prefix: String, creation: String) {
    self.prefix = Array(prefix.utf8)
    let words = creation.split { !$0.isLetter && $0 != "_" }
    names = Set(
      zip(words, words.dropFirst()).compactMap { kind, name in
        kind == "TABLE" || kind == "INDEX" ? String(name) : nil
      })
  }

  /// Returns a table's or index's name in the database.
  func name(_ name: String) -> String { String(decoding: prefix, as: UTF8.self) + name }

  /// Returns the SQL of a command for this database.
  func sql(of command: Command) -> String {
    guard command.isRepeated else { return sql(command.sql) }
    return texts.withLock { texts in
      if let known = texts[command.sql] { return known }
      let text = sql(command.sql)
      texts[command.sql] = text
      return text
    }
  }

  /// Adds the prefix to names, and replaces `$1` by `?1`. SQLite takes `$1` for a name and binds names in the order of
  /// their first appearance. Texts in single quotes stay, unless the whole text is a name. Names of other tables and
  /// their columns are in backticks, and stay.
  func sql(_ sql: String) -> String {
    let bytes = Array(sql.utf8)
    var made: [UInt8] = []
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      let isForeign = byte == UInt8(ascii: "`")
      let isText = isForeign || byte == UInt8(ascii: "'")
      let start = isText ? index + 1 : index
      var end = start
      if isText {
        end = bytes[start...].firstIndex(of: byte) ?? bytes.count
      } else if byte == UInt8(ascii: "$"), index + 1 < bytes.count,
        (48...57).contains(bytes[index + 1])
      {
        made.append(UInt8(ascii: "?"))
        index += 1
        continue
      } else {
        end = bytes[start...].firstIndex { !Self.isInWord($0) } ?? bytes.count
      }
      if isText { made.append(byte) }
      let word = bytes[start..<end]
      if !names.isEmpty, !isForeign, names.contains(String(decoding: word, as: UTF8.self)) {
        made += prefix
      }
      made += word
      index = end
      if index < bytes.count, isText || word.isEmpty {
        made.append(bytes[index])
        index += 1
      }
    }
    return String(decoding: made, as: UTF8.self)
  }

  private static func isInWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
