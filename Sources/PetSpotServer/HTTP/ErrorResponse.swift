import Announcements
import Foundation
import HTTPTypes
import HummingbirdCore
import PhotoAttachments
import PhotoIngestion
import ReportFlow

/// A response about an error (decision 26).
struct ErrorResponse: Error, Sendable {
  /// The HTTP status.
  var status: HTTPResponse.Status
  /// The stable code for programs.
  var code: String
  /// An English text about what happened and what to do.
  var message: String
  /// The invalid field, if the error is about one.
  var field: String?
  /// The errors of all invalid fields.
  var errors: [FieldError] = []
  /// More members of the error in order, such as the `reason` of a rejected photo, or `limit` and `actual` bytes.
  var facts: [(key: String, value: ErrorFacts.Detail)] = []
  /// The path of the owner's page, if the announcement is gone only for others.
  var owner: String?
  /// A description of a closed announcement's pet, for the error page.
  var pet: String?
  /// `true` if the announcement was erased.
  var isErased = false
  /// The problem for programs that know its type (RFC 9457).
  var problem: Problem?
  /// The unreachable store, if that is the cause.
  var unreachable: ServerStore?
  /// Additional headers of the response.
  var headers: HTTPFields = [:]

  /// A problem (RFC 9457). Its members are next to the error in the body.
  struct Problem: Sendable {
    /// The URI that identifies the type of problem.
    var type: String
    /// A title for people.
    var title: String
    /// Additional members.
    var members: [(key: String, value: Int)] = []
  }

  /// Creates a response.
  init(
    _ status: HTTPResponse.Status, _ code: String, _ message: String, field: String? = nil,
    headers: HTTPFields = [:]
  ) {
    (self.status, self.code, self.message, self.field) = (status, code, message, field)
    self.headers = headers
  }

  /// 404: the thing doesn't exist, or doesn't belong to the caller.
  static var notFound: Self {
    Self(.notFound, "NOT_FOUND", "There's nothing at this address. Check the address and the id.")
  }

  /// 413, with the sizes in bytes.
  static func tooLarge(actual: Int?, limit: Int) -> Self {
    var answer = Self(
      .contentTooLarge, "PAYLOAD_TOO_LARGE", "The body is too large. The limit is \(limit) bytes.")
    answer.facts = [("limit", .number(limit))]
    if let actual { answer.facts.append(("actual", .number(actual))) }
    return answer
  }

  /// 503: a store can't be reached.
  static func unreachable(_ store: ServerStore) -> Self {
    var answer = Self(
      .serviceUnavailable, "UNAVAILABLE",
      store == .database
        ? "Reports can't be read or saved right now. Try again in a minute."
        : "Photos can't be read or saved right now. Try again in a minute.",
      headers: [.retryAfter: "5"])
    answer.unreachable = store
    answer.facts = [("unreachable", .text(store.rawValue))]
    return answer
  }

  /// 503: the client should retry after these seconds.
  static func busy(retryAfter seconds: Int = 2) -> Self {
    Self(
      .serviceUnavailable, "UNAVAILABLE", "The server is busy. Try again in a moment.",
      headers: [.retryAfter: String(seconds)])
  }

  /// 408: the body arrived too slowly.
  static var slowBody: Self {
    Self(
      .requestTimeout, "REQUEST_TIMEOUT",
      "The body arrived too slowly: less than 8 KB a second over 20 seconds. Send it again over a faster "
        + "connection, or in pieces as a resumable upload.", headers: [.connection: "close"])
  }

  /// 429: the client should retry after these seconds.
  static func throttled(seconds: Int) -> Self {
    Self(
      .tooManyRequests, "TOO_MANY_REQUESTS", "Too many requests. Try again later.",
      headers: [.retryAfter: String(max(1, seconds))])
  }

  /// 400, with the errors of all fields.
  static func invalid(_ errors: [FieldError]) -> Self {
    var answer = Self(
      .badRequest, errors.first?.code.rawValue ?? "INVALID_FORMAT",
      errors.first?.message ?? "The body is invalid.", field: errors.first?.field)
    answer.errors = errors
    return answer
  }
}
