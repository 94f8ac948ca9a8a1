import Announcements

/// What the header of a part of multipart/form-data says (RFC 7578 4.2 to 4.8).
struct PartHeader: Sendable {
  /// The form field's name; nil until there was a Content-Disposition.
  private(set) var name: String?
  /// The file's name as sent: it may be empty, hold any characters but CR, LF and NUL, and pretend
  /// to be a path. `%22` stays as it is. RFC 7578 4.2 forbids `filename*`, and clients send it: it is
  /// the name where `filename` is none. Empty if it can't be read, nil without any.
  private(set) var fileName: String?
  /// What the client takes the content for.
  private(set) var contentType: String?

  /// Takes a header line without its line end. Throws `header`, `disposition`, `encoding` and
  /// `nested`; a line that goes on from the one before it (obs-fold) is `header`.
  mutating func add(_ line: [UInt8]) throws(MultipartError) {
    let fieldName = line.prefix(while: HeaderValue.isToken)
    let colon = fieldName.endIndex
    guard !fieldName.isEmpty, colon < line.count, line[colon] == UInt8(ascii: ":"),
      !line.contains(0), !line.contains(UInt8(ascii: "\r"))
    else { throw .header }
    let value = HeaderValue.trimmed(line[(colon + 1)...])
    switch HeaderValue.lowercased(fieldName) {
    case "content-disposition": try addDisposition(value)
    case "content-type":
      guard contentType == nil else { throw .header }
      guard !HeaderValue.lowercased(value).hasPrefix("multipart/") else { throw .nested }
      contentType = String(decoding: value, as: UTF8.self)
    case "content-transfer-encoding":
      let isPlain = ["binary", "8bit", "7bit"].contains(HeaderValue.lowercased(value))
      guard isPlain else { throw .encoding }
    default: break
    }
  }

  private mutating func addDisposition(_ value: ArraySlice<UInt8>) throws(MultipartError) {
    let disposition = HeaderValue(disposition: value)
    let names = disposition.all("name")
    guard name == nil, disposition.value == "form-data", names.count == 1 else {
      throw .disposition
    }
    name = String(decoding: names[0], as: UTF8.self).withShortRowsOfMarks
    fileName = disposition.fileName ?? (disposition.all("filename*").isEmpty ? nil : "")
  }
}

extension HeaderValue {
  /// The file's name in a Content-Disposition, as sent; nil when there is none that can be read.
  var fileName: String? {
    let plain = all("filename").map { String(decoding: $0, as: UTF8.self) }
    let chosen =
      plain.first { !$0.isEmpty } ?? all("filename*").lazy.compactMap(Self.extendedValue).first
      ?? plain.first
    return chosen?.withShortRowsOfMarks
  }

  /// The text of a value such as `UTF-8'en'%C5%82apa.jpg` (RFC 8187); nil when it is none.
  private static func extendedValue(_ value: [UInt8]) -> String? {
    let parts = value.split(
      separator: UInt8(ascii: "'"), maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, let bytes = PercentText.bytes(of: parts[2]) else { return nil }
    switch HeaderValue.lowercased(parts[0]) {
    case "utf-8": return String(validating: bytes, as: UTF8.self)
    case "iso-8859-1": return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    default: return nil
    }
  }
}
