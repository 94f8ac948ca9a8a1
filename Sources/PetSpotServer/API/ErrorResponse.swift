import Announcements
import Foundation
import HTTPTypes
import HummingbirdCore
import PhotoAttachments
import PhotoIngestion
import ReportFlow

/// An answer that says what went wrong (decision 26).
struct ErrorResponse: Error, Sendable {
  /// The status.
  var status: HTTPResponse.Status
  /// The stable word for programs.
  var code: String
  /// An English sentence: what happened and what to do.
  var message: String
  /// The field at fault, when it is one.
  var field: String?
  /// All fields at fault; empty when none is.
  var errors: [FieldError] = []
  /// More members of the error, in order: `reason` of a refused photo, `limit` and `actual` bytes.
  var facts: [(key: String, value: ErrorFacts.Detail)] = []
  /// Where the owner of what is gone for others goes on.
  var owner: String?
  /// What a page says of a closed announcement's pet.
  var pet: String?
  /// Whether the announcement was deleted.
  var isErased = false
  /// What kind of problem it is for programs that know its type (RFC 9457).
  var problem: Problem?
  /// The store that can't be reached, where that is the reason.
  var unreachable: StoreChecks.Subject?
  /// Headers of this answer.
  var headers: HTTPFields = [:]

  /// A kind of problem (RFC 9457), whose members stand beside the error.
  struct Problem: Sendable {
    /// What names it.
    var type: String
    /// What happened, for people.
    var title: String
    /// Its own members.
    var members: [(key: String, value: Int)] = []
  }

  /// An answer of these parts.
  init(
    _ status: HTTPResponse.Status, _ code: String, _ message: String, field: String? = nil,
    headers: HTTPFields = [:]
  ) {
    (self.status, self.code, self.message, self.field) = (status, code, message, field)
    self.headers = headers
  }

  /// 404: no such thing, or not the caller's.
  static var notFound: Self {
    Self(.notFound, "NOT_FOUND", "There's nothing at this address. Check the address and the id.")
  }

  /// 413 with the sizes in bytes.
  static func tooLarge(actual: Int?, limit: Int) -> Self {
    var answer = Self(
      .contentTooLarge, "PAYLOAD_TOO_LARGE", "The body is too large. The limit is \(limit) bytes.")
    answer.facts = [("limit", .number(limit))]
    if let actual { answer.facts.append(("actual", .number(actual))) }
    return answer
  }

  /// 503: a store can't be reached.
  static func unreachable(_ store: StoreChecks.Subject) -> Self {
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

  /// 503: come back after these seconds.
  static func busy(retryAfter seconds: Int = 2) -> Self {
    Self(
      .serviceUnavailable, "UNAVAILABLE", "The server is busy. Try again in a moment.",
      headers: [.retryAfter: String(seconds)])
  }

  /// 408: the body came too slowly.
  static var slowBody: Self {
    Self(
      .requestTimeout, "REQUEST_TIMEOUT",
      "The body arrived too slowly: less than 8 KB a second over 20 seconds. Send it again over a faster "
        + "connection, or in pieces as a resumable upload.", headers: [.connection: "close"])
  }

  /// 429: come back after these seconds.
  static func throttled(seconds: Int) -> Self {
    Self(
      .tooManyRequests, "TOO_MANY_REQUESTS", "Too many requests. Try again later.",
      headers: [.retryAfter: String(max(1, seconds))])
  }

  /// 400 with every field at fault.
  static func invalid(_ errors: [FieldError]) -> Self {
    var answer = Self(
      .badRequest, errors.first?.code.rawValue ?? "INVALID_FORMAT",
      errors.first?.message ?? "The body is invalid.", field: errors.first?.field)
    answer.errors = errors
    return answer
  }
}
