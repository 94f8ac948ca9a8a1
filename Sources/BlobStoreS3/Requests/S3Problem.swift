import HTTPClient
import PhotoAttachments
import Synchronization

/// A failed request: the store reported an error, or its response was lost.
struct S3Problem: Sendable {
  /// The HTTP status, or 0 without a response.
  let status: Int
  /// The error code of S3, such as `SlowDown`, or an empty string.
  let code: String
  /// A short description for messages.
  let summary: String
  /// `true` if no response came, or only a part of one.
  var isLost: Bool { status == 0 }

  init(noAnswer why: String) {
    status = 0
    code = ""
    summary = why
  }

  /// Creates a failure from a response. Returns `nil` if the response is a success.
  init?(_ answer: HTTPResponse) {
    if (200..<300).contains(answer.status) { return nil }
    status = answer.status
    let error = try? SmallXML(parsing: answer.body)
    code = error?.name == "Error" ? error?["Code"]?.text ?? "" : ""
    summary = code.isEmpty ? "HTTP \(answer.status)" : "HTTP \(answer.status), \(code)"
  }

  /// `true` if a retry may succeed. Rejected digests are among these, because the bytes may have been damaged in
  /// transit.
  var isTransient: Bool {
    [0, 408, 429, 500, 502, 503, 504].contains(status)
      || [
        "RequestTimeout", "IncompleteBody", "OperationAborted", "BadDigest",
        "XAmzContentSHA256Mismatch",
      ].contains(code)
  }

  /// Returns the error to throw after the last attempt.
  func error(_ address: S3Address) -> StoreError {
    switch status {
    case 0: .unreachable(service: address.shown, detail: summary)
    case 429, 503: .overloaded(service: address.shown, detail: summary)
    case 401, 403:
      .serviceFailed(service: address.shown, detail: summary, problem: .accessDenied)
    case 404 where code == "NoSuchBucket":
      .serviceFailed(service: address.shown, detail: summary, problem: .missingBucket)
    default: .serviceFailed(service: address.shown, detail: summary)
    }
  }
}

/// A limit on retries that protects an overloaded store: at most ten, plus one for every ten requests.
final class RetryBudget: Sendable {
  private struct Spent {
    var requests = 0
    var retries = 0
  }

  private let spent = Mutex(Spent())

  /// Counts the first attempt of a request.
  func countRequest() { spent.withLock { $0.requests += 1 } }

  /// Returns `true` and counts the retry if a request may be sent again.
  func allowsRetry() -> Bool {
    spent.withLock { spent in
      guard spent.retries < spent.requests / 10 + 10 else { return false }
      spent.retries += 1
      return true
    }
  }
}
