import PhotoUploads

/// Parses `application/x-www-form-urlencoded` in queries and forms (WHATWG URL, section 5).
enum FormText {
  /// Returns the fields by name.
  ///
  /// - Parameter refuse: makes the error for a field that is repeated or not UTF-8.
  static func parse<Failure: Error>(
    _ text: some Collection<UInt8>, refuse: (String) -> Failure
  ) throws(Failure) -> [String: String] {
    var fields: [String: String] = [:]
    for pair in text.split(separator: UInt8(ascii: "&")) {
      let parts = pair.split(
        separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      let key = PercentText.decode(parts[0], plusIsSpace: true)
      let value = parts.count > 1 ? PercentText.decode(parts[1], plusIsSpace: true) : ""
      guard let key, let value, fields[key] == nil else {
        throw refuse(key ?? String(decoding: parts[0], as: UTF8.self))
      }
      fields[key] = value
    }
    return fields
  }
}
