package import Foundation

/// A statement with its values. `$1` is the first value.
package struct Command: Sendable {
  package let sql: String
  package let values: [FieldValue]
  /// `true` if the same text is used again, so that preparing it pays off.
  package let isRepeated: Bool

  package init(_ sql: String, _ values: [FieldValue] = [], isRepeated: Bool = true) {
    self.sql = sql
    self.values = values
    self.isRepeated = isRepeated
  }
}

/// The result of a command.
package struct CommandResult: Sendable {
  package var rows: [ResultRow]
  /// The number of rows that the command changed.
  package var touched: Int

  package init(rows: [ResultRow], touched: Int) {
    self.rows = rows
    self.touched = touched
  }
}

/// A row of a result. Values are numbered from 0.
package struct ResultRow: Sendable {
  package let values: [FieldValue]

  package init(_ values: [FieldValue]) { self.values = values }

  package subscript(_ column: Int) -> FieldValue { values[column] }
  package func text(_ column: Int) -> String? { values[column].text }
  package func number(_ column: Int) -> Int64? { values[column].number }
  package func isTrue(_ column: Int) -> Bool { values[column].number == 1 }
  package func data(_ column: Int) -> Data? {
    if case .data(let data) = values[column] { data } else { nil }
  }
  package func double(_ column: Int) -> Double? { values[column].double }
  package func id(_ column: Int) -> UUID? { text(column).flatMap(UUID.init(uuidString:)) }
}

extension FieldValue {
  /// Creates an integer, or `null` for `nil`.
  package init(_ number: Int64?) { self = number.map(FieldValue.int) ?? .null }

  /// Creates a list of texts for `Dialect.among`, or a list of rows of texts for `Dialect.rows`.
  package static func list<Element: Encodable>(_ elements: some Sequence<Element>) -> FieldValue {
    // Lists of texts can always be encoded as JSON.
    let json = try? JSONEncoder().encode(Array(elements))
    return .text(String(decoding: json ?? Data("[]".utf8), as: UTF8.self))
  }
}
