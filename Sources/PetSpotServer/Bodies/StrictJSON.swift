/// Reads one JSON object (RFC 8259) in a single pass, and rejects anything that readers could interpret differently.
///
/// In addition to malformed JSON, it rejects repeated keys, a byte order mark, text that is not UTF-8, unpaired
/// surrogates, NUL, numbers that are not finite, and anything beyond a limit. Keys that are only canonically equivalent
/// in Unicode also count as repeated, because one could otherwise hide behind the other.
enum StrictJSON {
  /// The maximum nesting of objects and arrays, including the outermost.
  static let maxDepth = 32
  /// The maximum number of values, so that a small body can't use much memory.
  static let maxValues = 1_000
  /// The maximum number of bytes of a key.
  static let maxKeyBytes = 256
  /// The maximum number of characters of a number.
  static let maxNumberBytes = 128

  /// Returns the object that the bytes represent.
  static func object(from bytes: [UInt8]) throws(StrictJSONError) -> JSONObject {
    try bytes.withUnsafeBufferPointer { bytes throws(StrictJSONError) in
      var reader = JSONReader(bytes)
      return try reader.document()
    }
  }
}
