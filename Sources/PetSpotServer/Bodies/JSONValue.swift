/// A value of JSON (RFC 8259) as `StrictJSON` reads it.
enum JSONValue: Sendable, Equatable {
  /// `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A finite number, and how it was written.
  case number(Double, text: String)
  /// A text, its escapes undone.
  case string(String)
  /// Values in order.
  case array([JSONValue])
  /// Values by key.
  case object(JSONObject)
}

/// An object of JSON; no two members have equal keys.
struct JSONObject: Sendable, Equatable {
  /// A key and its value.
  struct Member: Sendable, Equatable {
    /// The key, its escapes undone.
    var key: String
    /// What stands behind it.
    var value: JSONValue
  }

  /// In the order of the text.
  var members: [Member] = []

  /// The value of a key; nil without one.
  subscript(key: String) -> JSONValue? { members.first { $0.key == key }?.value }
}

/// Why bytes are no JSON object that is taken; 400 `INVALID_JSON`.
struct StrictJSONError: Error, Equatable {
  /// What is wrong, as the end of a sentence such as "The body cannot be read: …".
  var what: String
  /// The last key that was read, if there was one: the fault is it, or stands behind it.
  var key: String?
  /// The index of the byte at fault.
  var offset: Int
}
