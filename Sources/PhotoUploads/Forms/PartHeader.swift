import PhotoModel

/// The header of a part of multipart/form-data (RFC 7578 4.2 to 4.8).
struct PartHeader: Sendable {
  /// The form field's name. `nil` before the Content-Disposition.
  private(set) var name: String?
  /// The name of the file as sent. `nil` if the part has no file name.
  ///
  /// It may be empty, contain any characters except CR, LF and NUL, and look like a path. `%22` is not decoded. RFC
  /// 7578 4.2 forbids `filename*`, but clients send it. It is used if `filename` is missing or empty. If it can't be
  /// read, the name is empty.
  private(set) var fileName: String?
  /// The content type according to the client.
  private(set) var contentType: String?

  /// Parses a header line without its line end.
  ///
  /// - Throws: `header`, `disposition`, `encoding` or `nested`. A folded line (obs-fold) throws `header`.
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
  /// The name of the file in a Content-Disposition, as sent. `nil` if it is missing or can't be read.
  var fileName: String? {
    let plain = all("filename").map { String(decoding: $0, as: UTF8.self) }
    let chosen =
      plain.first { !$0.isEmpty } ?? all("filename*").lazy.compactMap(Self.extendedValue).first
      ?? plain.first
    return chosen?.withShortRowsOfMarks
  }

  /// Returns the text of a value such as `UTF-8'en'%C5%82apa.jpg` (RFC 8187), or `nil` if it is malformed.
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
