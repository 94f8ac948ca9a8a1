/// The reason why a body is rejected as multipart/form-data. Each one is 400 `INVALID_MULTIPART`.
enum MultipartError: Error, Equatable {
  /// The Content-Type is different or malformed.
  case mediaType
  /// The boundary is missing, repeated, or not allowed by RFC 2046 5.1.1.
  case boundary
  /// Lines end with LF alone.
  case lineEnds
  /// There is too much before the first boundary.
  case preamble
  /// There are more parts than `FormLimits.parts`.
  case tooManyParts
  /// The header of a part has a malformed line.
  case header
  /// The header of a part exceeds `FormLimits.headers` or `FormLimits.headerBytes`.
  case tooLongHeader
  /// A part doesn't have exactly one Content-Disposition of form-data with one name.
  case disposition
  /// A part has a Content-Transfer-Encoding that changes bytes.
  case encoding
  /// A part is multipart itself.
  case nested
  /// There is too much after the last boundary.
  case epilogue
  /// The body ends before its last boundary.
  case unfinished

  /// The problem as the end of a sentence such as "The body cannot be read: …".
  var problem: String {
    switch self {
    case .mediaType: "its type isn't multipart/form-data"
    case .boundary: "its type doesn't name one boundary of 1 to 70 allowed characters"
    case .lineEnds: "its lines end with LF instead of CR LF"
    case .preamble: "there is too much before the first boundary"
    case .tooManyParts: "it has too many parts"
    case .header: "the header of a part is malformed"
    case .tooLongHeader: "the header of a part is too long"
    case .disposition: "a part has no form-data name"
    case .encoding: "a part has a transfer encoding"
    case .nested: "a part contains parts"
    case .epilogue: "there is too much after the last boundary"
    case .unfinished: "it ends before its last boundary"
    }
  }
}
