import Foundation

/// A JSON value whose keys keep the order of the contract.
///
/// `JSONEncoder` either sorts keys or leaves their order to chance; people read this output too.
enum JSON: Equatable, Sendable {
  case null
  case bool(Bool)
  case int(Int)
  case double(Double)
  case string(String)
  case array([JSON])
  case object([Member])

  struct Member: Equatable, Sendable {
    var key: String
    var value: JSON
  }

  static func optional(_ string: String?) -> JSON { string.map(JSON.string) ?? .null }
  static func strings(_ strings: some Sequence<String>) -> JSON { .array(strings.map(JSON.string)) }
  /// A moment as ISO 8601 with milliseconds and Z.
  static func date(_ date: Date) -> JSON {
    .string(date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
  }

  /// This object with more members at its end; other values stay as they are.
  func adding(_ members: KeyValuePairs<String, JSON>) -> JSON {
    guard case .object(let own) = self else { return self }
    return .object(own + members.map { Member(key: $0.key, value: $0.value) })
  }

  /// The same with members that were made elsewhere.
  func adding(_ members: [Member]) -> JSON {
    guard case .object(let own) = self else { return self }
    return .object(own + members)
  }

  func without(_ key: String) -> JSON {
    guard case .object(let own) = self else { return self }
    return .object(own.filter { $0.key != key })
  }

  /// The text or whole number of a member of this object; empty where there is none.
  func text(of key: String) -> String {
    guard case .object(let own) = self else { return "" }
    return switch own.first(where: { $0.key == key })?.value {
    case .string(let text): text
    case .int(let number): String(number)
    default: ""
    }
  }

  /// One line without spaces (RFC 8259).
  var line: String {
    switch self {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    case .int(let value): String(value)
    case .double(let value): value.isFinite ? "\(value)" : "null"
    case .string(let value): Self.quoted(value)
    case .array(let values): "[" + values.map(\.line).joined(separator: ",") + "]"
    case .object(let members):
      "{"
        + members.map { Self.quoted($0.key) + ":" + $0.value.line }.joined(separator: ",")
        + "}"
    }
  }

  private static func quoted(_ text: String) -> String {
    // Most text is as it is: an import prints a hundred thousand paths.
    let isPlain = text.utf8.allSatisfy { (0x20..<0x7F).contains($0) && $0 != 0x22 && $0 != 0x5C }
    if isPlain { return "\"" + text + "\"" }
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\r": quoted += "\\r"
      case "\t": quoted += "\\t"
      // A terminal obeys C1 controls too, and DEL; JSON alone would let them pass.
      case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}":
        let digits = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByDictionaryLiteral
{
  init(stringLiteral value: String) { self = .string(value) }
  init(booleanLiteral value: Bool) { self = .bool(value) }
  init(dictionaryLiteral elements: (String, JSON)...) {
    self = .object(elements.map { Member(key: $0.0, value: $0.1) })
  }
}
