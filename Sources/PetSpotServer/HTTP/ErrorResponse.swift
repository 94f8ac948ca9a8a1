import HTTPTypes
import PhotoIngestion
import PhotoUploads

/// A response about an error (decision 26).
struct ErrorResponse: Error, Sendable {
  let cause: ErrorCause
  /// The error that a protocol's response was made from, for the log.
  var origin: (any Error)?
  /// An English text about what happened and what to do.
  var message: String
  /// The invalid field, if the error is about one.
  var field: String?
  /// The errors of all invalid fields.
  var errors: [FieldError] = []
  /// More members of the error, such as the `reason` of a rejected photo, or `limit` and `actual` bytes.
  var facts: [String: ErrorFacts.Detail] = [:]
  /// The problem for programs that know its type (RFC 9457).
  var problem: HTTPFailure.Problem?
  /// Additional headers of the response.
  var headers: HTTPFields = [:]

  var status: HTTPResponse.Status { cause.status }

  /// Creates a response.
  init(
    _ cause: ErrorCause, _ message: String, field: String? = nil, headers: HTTPFields = [:]
  ) {
    self.cause = cause
    self.message = message
    self.field = field
    self.headers = headers
  }

  /// 404: the thing doesn't exist, or doesn't belong to the caller.
  static var notFound: Self {
    Self(.notFound, "There's nothing at this address. Check the address and the id.")
  }

  /// 410: the announcement was closed. The response has no details of it (decision 33).
  static var closed: Self { Self(.closed, "This announcement was closed.") }

  /// 410: the announcement was erased.
  static var erased: Self { Self(.erased, closed.message) }

  /// 410: an operator hid the announcement (decision 43).
  static var takenDown: Self {
    var answer = Self(.takenDown, "This announcement was taken down by the operator.")
    answer.facts = ["reason": .text("taken-down")]
    return answer
  }

  /// 413, with the sizes in bytes.
  static func tooLarge(actual: Int?, limit: Int) -> Self {
    var answer = Self(
      .tooLarge, "The body is too large. The limit is \(limit) bytes.")
    answer.facts["limit"] = .number(limit)
    answer.facts["actual"] = actual.map { .number($0) }
    return answer
  }

  /// 503: a store can't be reached.
  static func unreachable(_ store: ServerStore) -> Self {
    var answer =
      switch store {
      case .database:
        Self(.databaseDown, "Reports can't be read or saved right now. Try again in a minute.")
      case .pictures:
        Self(.picturesDown, "Photos can't be read or saved right now. Try again in a minute.")
      }
    answer.headers = [.retryAfter: "5"]
    answer.facts = ["unreachable": .text(store.rawValue)]
    return answer
  }

  /// 503: the client should retry after these seconds.
  static func busy(retryAfter seconds: Int = 2) -> Self {
    Self(
      .busy, "The server is busy. Try again in a moment.",
      headers: [.retryAfter: String(seconds)])
  }

  /// 507: the server can't store anything. The log names the store that is full.
  static var storageFull: Self {
    Self(
      .storageFull, "No photos or reports can be taken right now. Try again later.",
      headers: [.retryAfter: "3600"])
  }

  /// 500: an error of the server. Only the log has the details.
  static var internalError: Self {
    Self(.failed, "Something went wrong on our side. Try again later.")
  }

  /// 408: the body arrived too slowly.
  static var slowBody: Self {
    Self(
      .slowBody,
      "The body arrived too slowly: less than 8 KB a second over 20 seconds. Send it again over a faster "
        + "connection, or in pieces as a resumable upload.", headers: [.connection: "close"])
  }

  /// 429: the client should retry after these seconds.
  static func throttled(seconds: Int) -> Self {
    Self(
      .throttled, "Too many requests. Try again later.",
      headers: [.retryAfter: String(max(1, seconds))])
  }

  /// 400, with the errors of all fields.
  static func invalid(_ errors: [FieldError]) -> Self {
    var answer = Self(
      .invalidField(errors.first?.code ?? .invalidFormat),
      errors.first?.message ?? "The body is invalid.", field: errors.first?.field)
    answer.errors = errors
    return answer
  }
}
