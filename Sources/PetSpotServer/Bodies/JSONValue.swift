/// A JSON value (RFC 8259) as `StrictJSON` reads it.
enum JSONValue: Sendable, Equatable {
  case null
  case bool(Bool)
  /// A finite number, and its original text.
  case number(Double, text: String)
  /// A text without escapes.
  case string(String)
  case array([JSONValue])
  case object(JSONObject)
}

/// A JSON object. Its members have different keys.
struct JSONObject: Sendable, Equatable {
  struct Member: Sendable, Equatable {
    /// The key without escapes.
    var key: String
    /// The value of the key.
    var value: JSONValue
  }

  /// The members in their original order.
  var members: [Member] = []

  /// Returns the value of a key, or `nil` if it is missing.
  subscript(key: String) -> JSONValue? { members.first { $0.key == key }?.value }
}

/// The reason why bytes are rejected as a JSON object, with 400 `INVALID_JSON`.
struct StrictJSONError: Error, Equatable {
  /// The problem as the end of a sentence such as "The body cannot be read: …".
  var problem: String
  /// The last key that was read. The problem is this key, or comes after it. `nil` if no key was read.
  var key: String?
  /// The index of the invalid byte.
  var offset: Int
}
