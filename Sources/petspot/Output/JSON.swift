import Foundation

/// A JSON value that keeps the documented order of its keys.
///
/// `JSONEncoder` either sorts keys or has no defined order, but people read this output too.
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

    init(_ key: String, _ value: any JSONConvertible) {
      self.key = key
      self.value = value.json
    }
  }

  /// The members of an object as a literal.
  typealias Members = KeyValuePairs<String, any JSONConvertible>

  /// Returns this object with members appended. Values other than objects are returned unchanged.
  func adding(_ members: Members) -> JSON { adding(members.map { Member($0, $1) }) }

  /// Returns this object with the members appended that are not `null`.
  func addingKnown(_ members: Members) -> JSON {
    adding(members.map { Member($0, $1) }.filter { $0.value != .null })
  }

  /// Returns this object with an array of members appended.
  func adding(_ members: [Member]) -> JSON {
    guard case .object(let own) = self else { return self }
    return .object(own + members)
  }

  func without(_ key: String) -> JSON {
    guard case .object(let own) = self else { return self }
    return .object(own.filter { $0.key != key })
  }

  /// Returns a member's text or whole number. Empty if this object has no such member.
  func text(of key: String) -> String {
    guard case .object(let own) = self else { return "" }
    return switch own.first(where: { $0.key == key })?.value {
    case .string(let text): text
    case .int(let number): String(number)
    default: ""
    }
  }

  /// The value in one line without spaces (RFC 8259).
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
    // Fast path, because most texts need no escaping and an import prints a hundred thousand paths.
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
      // Terminals also interpret C1 controls and DEL, which JSON doesn't require to be escaped.
      case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}":
        let digits = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}

extension JSON: ExpressibleByDictionaryLiteral {
  init(dictionaryLiteral elements: (String, any JSONConvertible)...) {
    self = .object(elements.map { Member($0, $1) })
  }
}

/// A value that JSON can contain.
protocol JSONConvertible {
  var json: JSON { get }
}

extension JSON: JSONConvertible { var json: JSON { self } }
extension Bool: JSONConvertible { var json: JSON { .bool(self) } }
extension Int: JSONConvertible { var json: JSON { .int(self) } }
extension Int64: JSONConvertible { var json: JSON { .int(Int(self)) } }
extension Double: JSONConvertible {
  var json: JSON { .double(self) }

  /// The number of seconds with milliseconds.
  var milliseconds: Double { (self * 1000).rounded() / 1000 }
}

extension String: JSONConvertible { var json: JSON { .string(self) } }
extension UUID: JSONConvertible { var json: JSON { .string(uuidString) } }
extension Date: JSONConvertible {
  /// The time in ISO 8601 with milliseconds and `Z`.
  var json: JSON { formatted(ISO8601FormatStyle(includingFractionalSeconds: true)).json }
}

extension Optional: JSONConvertible where Wrapped: JSONConvertible {
  var json: JSON { self?.json ?? .null }
}
extension Array: JSONConvertible where Element: JSONConvertible {
  var json: JSON { .array(map(\.json)) }
}
