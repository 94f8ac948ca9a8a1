/// Reads one JSON object (RFC 8259) from bytes, once through, and takes nothing that two readers
/// could understand differently.
///
/// Refused are, beyond what is no JSON: equal keys (also those that are equal only as Unicode
/// compares them, so that no key hides behind another), a byte order mark, text that is no UTF-8,
/// half surrogate pairs, NUL, numbers that are not finite, and what is over a limit.
enum StrictJSON {
  /// How deep objects and arrays may lie in each other; the outermost counts.
  static let maxDepth = 32
  /// How many values there may be in all, so that small bodies cannot take much memory.
  static let maxValues = 1_000
  /// Bytes of a key.
  static let maxKeyBytes = 256
  /// Characters of a number.
  static let maxNumberBytes = 128

  /// The object that these bytes are.
  static func object(from bytes: [UInt8]) throws(StrictJSONError) -> JSONObject {
    try bytes.withUnsafeBufferPointer { bytes throws(StrictJSONError) in
      var reader = JSONReader(bytes)
      return try reader.document()
    }
  }
}
