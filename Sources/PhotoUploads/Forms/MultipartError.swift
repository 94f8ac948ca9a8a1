/// The reason why a body is rejected as multipart/form-data. Each one is 400 `INVALID_MULTIPART`.
package enum MultipartError: String, Error {
  /// The Content-Type is different or malformed.
  case mediaType = "its type isn't multipart/form-data"
  /// The boundary is missing, repeated, or not allowed by RFC 2046 5.1.1.
  case boundary = "its type doesn't name one boundary of 1 to 70 allowed characters"
  /// Lines end with LF alone.
  case lineEnds = "its lines end with LF instead of CR LF"
  /// There is too much before the first boundary.
  case preamble = "there is too much before the first boundary"
  /// There are more parts than `FormLimits.parts`.
  case tooManyParts = "it has too many parts"
  /// The header of a part has a malformed line.
  case header = "the header of a part is malformed"
  /// The header of a part exceeds `FormLimits.headers` or `FormLimits.headerBytes`.
  case tooLongHeader = "the header of a part is too long"
  /// A part doesn't have exactly one Content-Disposition of form-data with one name.
  case disposition = "a part has no form-data name"
  /// A part has a Content-Transfer-Encoding that changes bytes.
  case encoding = "a part has a transfer encoding"
  /// A part is multipart itself.
  case nested = "a part contains parts"
  /// There is too much after the last boundary.
  case epilogue = "there is too much after the last boundary"
  /// The body ends before its last boundary.
  case unfinished = "it ends before its last boundary"

  /// The problem as the end of a sentence such as "The body cannot be read: …".
  var problem: String { rawValue }
}
