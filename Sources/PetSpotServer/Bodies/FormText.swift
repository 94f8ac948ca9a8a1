import Announcements

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

/// Percent-encoding (RFC 3986, section 2.1).
enum PercentText {
  /// Returns the decoded text, or `nil` if an escape is malformed or the bytes are not UTF-8. Long rows of combining
  /// marks are shortened, because comparing them takes quadratic time.
  static func decode(_ text: some Collection<UInt8>, plusIsSpace: Bool = false) -> String? {
    bytes(of: text, plusIsSpace: plusIsSpace).flatMap {
      String(validating: $0, as: UTF8.self)?.withShortRowsOfMarks
    }
  }

  /// Returns the decoded bytes, or `nil` if an escape is malformed.
  static func bytes(of text: some Collection<UInt8>, plusIsSpace: Bool = false) -> [UInt8]? {
    var output: [UInt8] = []
    output.reserveCapacity(text.count)
    var index = text.startIndex
    while index < text.endIndex {
      var byte = text[index]
      text.formIndex(after: &index)
      if byte == UInt8(ascii: "%") {
        guard index < text.endIndex, let high = text[index].hexValue else { return nil }
        text.formIndex(after: &index)
        guard index < text.endIndex, let low = text[index].hexValue else { return nil }
        text.formIndex(after: &index)
        byte = high << 4 | low
      } else if plusIsSpace, byte == UInt8(ascii: "+") {
        byte = UInt8(ascii: " ")
      }
      output.append(byte)
    }
    return output
  }
}
