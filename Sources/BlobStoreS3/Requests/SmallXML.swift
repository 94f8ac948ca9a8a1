/// A parser for the XML that object stores send: elements and text. It skips attributes, comments and the XML
/// declaration. It rejects everything else, such as document types and custom entities, so it never expands entities.
struct SmallXML: Sendable, Equatable {
  /// The element's name without its namespace prefix.
  let name: String
  /// The element's text. Empty if the element has children.
  var text = ""
  var children: [SmallXML] = []

  /// The error for XML that is invalid or not supported.
  struct Malformed: Error {}

  init(name: String) { self.name = name }

  /// Parses a document and returns its root element.
  init(parsing bytes: [UInt8]) throws(Malformed) {
    var reader = Reader(bytes)
    self = try reader.document()
  }

  subscript(_ name: String) -> SmallXML? { children.first { $0.name == name } }

  private struct Reader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func document() throws(Malformed) -> SmallXML {
      if starts(with: "\u{FEFF}") { position += 3 }
      try skipMisc()
      let root = try element(depth: 0)
      try skipMisc()
      guard position == bytes.count else { throw Malformed() }
      return root
    }

    /// Parses an element. The position is at its `<`.
    private mutating func element(depth: Int) throws(Malformed) -> SmallXML {
      guard depth < 16, consume("<") else { throw Malformed() }
      let name = try self.name()
      var element = SmallXML(name: String(name.split(separator: ":").last ?? ""))
      if try !skipAttributes() { return element }
      var text: [UInt8] = []
      while true {
        guard position < bytes.count else { throw Malformed() }
        if consume("</") {
          guard try self.name() == name else { throw Malformed() }
          skipBlanks()
          guard consume(">") else { throw Malformed() }
          element.text = String(decoding: text, as: UTF8.self)
          if !element.children.isEmpty { element.text = "" }
          return element
        }
        if try skipComment() { continue }
        if bytes[position] == UInt8(ascii: "<") {
          element.children.append(try self.element(depth: depth + 1))
        } else if bytes[position] == UInt8(ascii: "&") {
          text += Array(String(try reference()).utf8)
        } else {
          text.append(bytes[position])
          position += 1
        }
      }
    }

    /// Skips the attributes. Returns `true` if the element has content.
    private mutating func skipAttributes() throws(Malformed) -> Bool {
      while true {
        skipBlanks()
        if consume("/>") { return false }
        if consume(">") { return true }
        _ = try name()
        skipBlanks()
        guard consume("=") else { throw Malformed() }
        skipBlanks()
        guard position < bytes.count,
          [UInt8(ascii: "\""), UInt8(ascii: "'")].contains(bytes[position])
        else { throw Malformed() }
        let quote = bytes[position]
        guard let end = bytes[(position + 1)...].firstIndex(of: quote) else { throw Malformed() }
        position = end + 1
      }
    }

    private mutating func reference() throws(Malformed) -> Unicode.Scalar {
      let window = bytes[position..<min(position + 12, bytes.count)]
      guard let end = window.firstIndex(of: UInt8(ascii: ";")) else { throw Malformed() }
      let name = String(decoding: bytes[position + 1..<end], as: UTF8.self)
      position = end + 1
      switch name {
      case "amp": return "&"
      case "lt": return "<"
      case "gt": return ">"
      case "quot": return "\""
      case "apos": return "'"
      default:
        let code =
          name.hasPrefix("#x")
          ? UInt32(name.dropFirst(2), radix: 16)
          : name.hasPrefix("#") ? UInt32(name.dropFirst()) : nil
        guard let code, let scalar = Unicode.Scalar(code) else { throw Malformed() }
        return scalar
      }
    }

    private mutating func name() throws(Malformed) -> String {
      let start = position
      while position < bytes.count, Self.isName(bytes[position]) { position += 1 }
      guard position > start else { throw Malformed() }
      return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private static func isName(_ byte: UInt8) -> Bool {
      (97...122).contains(byte) || (65...90).contains(byte)
        || (45...58).contains(byte) && byte != 47
        || byte == UInt8(ascii: "_") || byte >= 128
    }

    private mutating func skipMisc() throws(Malformed) {
      while true {
        skipBlanks()
        if consume("<?") {
          try skip(past: "?>")
        } else if try !skipComment() {
          return
        }
      }
    }

    private mutating func skipComment() throws(Malformed) -> Bool {
      guard consume("<!--") else { return false }
      try skip(past: "-->")
      return true
    }

    private mutating func skip(past end: StaticString) throws(Malformed) {
      while !consume(end) {
        guard position < bytes.count else { throw Malformed() }
        position += 1
      }
    }

    private mutating func skipBlanks() {
      while position < bytes.count, [9, 10, 13, 32].contains(bytes[position]) { position += 1 }
    }

    private func starts(with text: StaticString) -> Bool {
      text.withUTF8Buffer { bytes[position...].starts(with: $0) }
    }

    private mutating func consume(_ text: StaticString) -> Bool {
      guard starts(with: text) else { return false }
      position += text.utf8CodeUnitCount
      return true
    }
  }
}
