package import Foundation

/// A value in a field of a record, as every catalog keeps it.
package enum FieldValue: Sendable, Hashable {
  case null
  case int(Int64)
  case double(Double)
  case text(String)
  case data(Data)

  /// The text, nil for anything else.
  package var text: String? { if case .text(let text) = self { text } else { nil } }
  /// The whole number, nil for anything else.
  package var number: Int64? { if case .int(let number) = self { number } else { nil } }

  package init(_ text: String?) { self = text.map(Self.text) ?? .null }
  package init(_ number: Int) { self = .int(Int64(number)) }
  package init(_ flag: Bool) { self = .int(flag ? 1 : 0) }
}
