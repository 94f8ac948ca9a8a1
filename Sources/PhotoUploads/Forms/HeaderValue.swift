/// A header value with parameters, such as `form-data; name="photo"` (RFC 9110 5.6.6).
struct HeaderValue {
  /// The text before the first semicolon, in lower case.
  var value: String
  /// The parameters in order: names in lower case, and the bytes of their values.
  private(set) var parameters: [(name: String, value: [UInt8])] = []

  /// Parses a whole value. Returns `nil` if it is malformed.
  ///
  /// Unquoted values may also contain the separators `(),/:=?`, because clients leave them unquoted in boundaries. In
  /// quoted values, a backslash escapes only `"` and another backslash. Otherwise it is literal, as in names that
  /// browsers send.
  init?(_ bytes: some Sequence<UInt8>) {
    let bytes = Array(bytes)
    var rest = bytes[...]
    let value = rest.prefix { $0 != UInt8(ascii: ";") }
    self.value = Self.lowercased(Self.trimmed(value))
    rest = rest[value.endIndex...]
    while rest.popFirst() != nil {
      rest = rest.drop(while: Self.isSpace)
      let name = rest.prefix(while: Self.isToken)
      rest = rest[name.endIndex...]
      if !name.isEmpty {
        guard rest.popFirst() == UInt8(ascii: "="), let value = Self.takeValue(&rest) else {
          return nil
        }
        parameters.append((Self.lowercased(name), value))
      }
      rest = rest.drop(while: Self.isSpace)
      guard rest.first ?? UInt8(ascii: ";") == UInt8(ascii: ";") else { return nil }
    }
  }

  /// Parses a Content-Disposition of form-data as clients send it. A malformed file name doesn't affect the other
  /// parameters.
  ///
  /// File names can contain unescaped quotes, spaces and letters of all alphabets. A quoted `filename` therefore ends
  /// only at a quote before a semicolon or the end. An unquoted one ends at a semicolon.
  init(disposition bytes: some Sequence<UInt8>) {
    let bytes = Array(bytes)
    var rest = bytes[...]
    func upToSemicolon() -> ArraySlice<UInt8> {
      let part = rest.prefix { $0 != UInt8(ascii: ";") }
      rest = rest[part.endIndex...]
      return part
    }
    value = Self.lowercased(Self.trimmed(upToSemicolon()))
    while rest.popFirst() != nil {
      rest = rest.drop(while: Self.isSpace)
      let name = Self.lowercased(rest.prefix(while: Self.isToken))
      rest = rest[(rest.startIndex + name.utf8.count)...]
      if !name.isEmpty, rest.first == UInt8(ascii: "=") {
        rest.removeFirst()
        let value =
          rest.first == UInt8(ascii: "\"")
          ? Self.takeQuoted(&rest, endsBeforeSemicolon: name == "filename")
          : Array(Self.trimmed(upToSemicolon()))
        parameters.append((name, value ?? []))
      }
      _ = upToSemicolon()
    }
  }

  /// Returns the values of all parameters with a name, which must be in lower case.
  func all(_ name: String) -> [[UInt8]] { parameters.filter { $0.name == name }.map(\.value) }

  /// Removes a token or a quoted string from the beginning, and returns its value.
  private static func takeValue(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
    guard rest.first == UInt8(ascii: "\"") else {
      let token = rest.prefix { isToken($0) || "(),/:=?".utf8.contains($0) }
      rest = rest[token.endIndex...]
      return token.isEmpty ? nil : Array(token)
    }
    return takeQuoted(&rest)
  }

  /// Removes a quoted string from the beginning, and returns its value. Returns `nil` if its end is missing.
  ///
  /// - Parameter endsBeforeSemicolon: `true` if a quote ends the string only before a semicolon or the end.
  private static func takeQuoted(
    _ rest: inout ArraySlice<UInt8>, endsBeforeSemicolon: Bool = false
  ) -> [UInt8]? {
    rest.removeFirst()
    var value: [UInt8] = []
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "\""):
        let next = endsBeforeSemicolon ? rest.drop(while: isSpace).first : nil
        if next ?? UInt8(ascii: ";") == UInt8(ascii: ";") { return value }
        value.append(byte)
      case UInt8(ascii: "\\"):
        let isEscape = rest.first == UInt8(ascii: "\"") || rest.first == UInt8(ascii: "\\")
        value.append(isEscape ? rest.removeFirst() : byte)
      default: value.append(byte)
      }
    }
    return nil
  }

  /// Returns `true` for a character of a token (RFC 9110 5.6.2).
  static func isToken(_ byte: UInt8) -> Bool {
    byte.isLetterOrDigit || "!#$%&'*+-.^_`|~".utf8.contains(byte)
  }

  /// Returns `true` for a space or tab.
  static func isSpace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }

  /// Returns the bytes without spaces and tabs around them.
  static func trimmed<Bytes: BidirectionalCollection<UInt8>>(_ bytes: Bytes) -> Bytes.SubSequence {
    let end = bytes.lastIndex { !isSpace($0) }.map(bytes.index(after:)) ?? bytes.startIndex
    return bytes[..<end].drop(while: isSpace)
  }

  /// Returns the bytes as text with only the letters A to Z converted to lower case.
  static func lowercased(_ bytes: some Collection<UInt8>) -> String {
    let lowered = bytes.map { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 ? $0 | 0x20 : $0 }
    return String(decoding: lowered, as: UTF8.self)
  }
}
