import HTTPTypes
import ReportFlow

/// The cause of an error response. Programs get its status and code as JSON (`response(requestID:)`). Browsers get a
/// page with its title and text (`ErrorPage`).
struct ErrorCause: Sendable, Equatable {
  let status: HTTPResponse.Status
  /// The stable code for programs.
  let code: String
  /// The title and the text of the page.
  let title, text: TextKey

  init(
    _ status: Int, _ code: String, _ title: TextKey = "error.refusedTitle",
    _ text: TextKey = "error.refused"
  ) {
    self.status = .init(code: status)
    self.code = code
    self.title = title
    self.text = text
  }

  // MARK: - Requests that have to change

  static let badRequest = Self(400, "BAD_REQUEST")
  static let invalidHost = Self(400, "INVALID_HOST")
  static let invalidHeader = Self(400, "INVALID_HEADER")
  static let invalidParameter = Self(400, "INVALID_PARAMETER")
  static let invalidJSON = Self(400, "INVALID_JSON")
  static let invalidMultipart = Self(400, "INVALID_MULTIPART")
  static let missingFile = Self(400, "MISSING_FILE")
  static let incompleteBody = Self(400, "INCOMPLETE_BODY")
  static let unauthenticated = Self(401, "UNAUTHENTICATED")
  static let unauthorized = Self(403, "UNAUTHORIZED", "error.refusedTitle", "error.otherSite")
  static let crossOrigin = Self(403, "CROSS_ORIGIN", "error.refusedTitle", "error.otherSite")
  static let notFound = Self(404, "NOT_FOUND", "error.notFoundTitle", "error.notFound")
  static let methodNotAllowed = Self(405, "METHOD_NOT_ALLOWED")
  static let slowBody = Self(408, "REQUEST_TIMEOUT", "error.slowTitle", "error.slow")
  static let conflict = Self(409, "CONFLICT")
  static let closed = Self(410, "CLOSED", "announcement.closedTitle", "announcement.closed")
  static let erased = Self(410, "CLOSED", "announcement.erasedTitle", "announcement.erased")
  static let takenDown = Self(
    410, "CLOSED", "announcement.takenDownTitle", "announcement.takenDown")
  static let expired = Self(410, "EXPIRED")
  static let preconditionFailed = Self(412, "PRECONDITION_FAILED")
  static let tooLarge = Self(413, "PAYLOAD_TOO_LARGE", "error.tooLargeTitle", "error.tooLarge")
  static let unsupportedMediaType = Self(415, "UNSUPPORTED_MEDIA_TYPE")
  static let expectationFailed = Self(417, "EXPECTATION_FAILED")
  static let misdirected = Self(421, "MISDIRECTED")
  static let idempotencyMismatch = Self(422, "IDEMPOTENCY_MISMATCH")
  static let locked = Self(423, "LOCKED")
  static let throttled = Self(429, "TOO_MANY_REQUESTS", "error.busyTitle", "error.busy")
  static let headTooLarge = Self(431, "BAD_REQUEST")

  /// A field that breaks its rule.
  static func invalidField(_ code: FieldError.Code = .invalidFormat) -> Self {
    Self(400, code.rawValue)
  }

  /// A rejected photo. The status depends on its error.
  static func invalidPhoto(_ status: Int) -> Self { Self(status, "INVALID_PHOTO") }

  // MARK: - Problems of this server, about which visitors can do nothing

  static let failed = Self(500, "INTERNAL", "error.oursTitle", "error.ours")
  static let busy = Self(503, "UNAVAILABLE", "error.busyTitle", "error.busy")
  static let databaseDown = Self(503, "UNAVAILABLE", "error.oursTitle", "error.databaseDown")
  static let picturesDown = Self(503, "UNAVAILABLE", "error.oursTitle", "error.picturesDown")
  static let storageFull = Self(507, "STORAGE_FULL", "error.oursTitle", "error.full")

  /// The text about a problem of this server. `nil` for other causes.
  var problemText: TextKey? { status.code >= 500 ? text : nil }
}
