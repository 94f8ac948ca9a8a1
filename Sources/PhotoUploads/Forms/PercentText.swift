import PhotoModel

/// Percent-encoding (RFC 3986, section 2.1).
package enum PercentText {
  /// Returns the decoded text, or `nil` if an escape is malformed or the bytes are not UTF-8. Long rows of combining
  /// marks are shortened, because comparing them takes quadratic time.
  package static func decode(_ text: some Collection<UInt8>, plusIsSpace: Bool = false) -> String? {
    bytes(of: text, plusIsSpace: plusIsSpace).flatMap {
      String(validating: $0, as: UTF8.self)?.withShortRowsOfMarks
    }
  }

  /// Returns the decoded bytes, or `nil` if an escape is malformed.
  package static func bytes(of text: some Collection<UInt8>, plusIsSpace: Bool = false) -> [UInt8]?
  {
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
