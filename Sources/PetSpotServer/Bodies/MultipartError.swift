/// Why a body is no multipart/form-data that is taken; each is 400 `INVALID_MULTIPART`.
enum MultipartError: Error, Equatable {
  /// The Content-Type is another one or breaks its grammar.
  case mediaType
  /// There is no boundary, more than one, or one that RFC 2046 5.1.1 does not allow.
  case boundary
  /// Lines end with LF alone.
  case lineEnds
  /// Too much stands before the first boundary.
  case preamble
  /// There are more parts than `Limits.parts`.
  case tooManyParts
  /// A part's header has a line that is none.
  case header
  /// A part's header is over `Limits.headers` or `Limits.headerBytes`.
  case tooLongHeader
  /// A part has no Content-Disposition of form-data with one name, or more than one.
  case disposition
  /// A part has a Content-Transfer-Encoding that changes bytes.
  case encoding
  /// A part is multipart itself.
  case nested
  /// Too much stands behind the last boundary.
  case epilogue
  /// The body ends before its last boundary.
  case unfinished

  /// What is wrong, as the end of a sentence such as "The body cannot be read: …".
  var what: String {
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
