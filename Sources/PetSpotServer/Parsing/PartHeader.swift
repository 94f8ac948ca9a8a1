import Announcements

/// What the header of a part of multipart/form-data says (RFC 7578 4.2 to 4.8).
struct PartHeader: Sendable {
  /// The form field's name; nil until there was a Content-Disposition.
  private(set) var name: String?
  /// The file's name as sent: it may be empty, hold any characters but CR, LF and NUL, and pretend
  /// to be a path. `%22` stays as it is; `filename*` is ignored, as RFC 7578 4.2 forbids it.
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
    guard name == nil, let disposition = HeaderValue(value), disposition.value == "form-data" else {
      throw .disposition
    }
    let names = disposition.all("name")
    let fileNames = disposition.all("filename")
    guard names.count == 1, fileNames.count <= 1 else { throw .disposition }
    name = names.first.map { String(decoding: $0, as: UTF8.self).withShortRowsOfMarks }
    fileName = fileNames.first.map { String(decoding: $0, as: UTF8.self).withShortRowsOfMarks }
  }
}
