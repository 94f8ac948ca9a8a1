import HTTPClient
import PhotoAttachments
import Synchronization

/// Why a request did not succeed: an answer that reports a failure, or no answer at all.
struct S3Failure: Sendable {
  /// The HTTP status, 0 when no answer came.
  let status: Int
  /// S3's word, such as `SlowDown`; empty without one.
  let code: String
  /// For a message.
  let summary: String
  /// Whether no answer came, or only a part of one.
  var isLost: Bool { status == 0 }

  init(noAnswer why: String) {
    status = 0
    code = ""
    summary = why
  }

  /// Nil for an answer of success.
  init?(_ answer: HTTPResponse) {
    if (200..<300).contains(answer.status) { return nil }
    status = answer.status
    let error = try? SmallXML(parsing: answer.body)
    code = error?.name == "Error" ? error?["Code"]?.text ?? "" : ""
    summary = code.isEmpty ? "HTTP \(answer.status)" : "HTTP \(answer.status), \(code)"
  }

  /// Whether another try may succeed. A digest is refused when bytes were changed on their way, so they
  /// are sent again.
  var isTransient: Bool {
    [0, 408, 429, 500, 502, 503, 504].contains(status)
      || [
        "RequestTimeout", "IncompleteBody", "OperationAborted", "BadDigest",
        "XAmzContentSHA256Mismatch",
      ].contains(code)
  }

  /// The error that it is once nothing is tried any more.
  func error(_ address: S3Address) -> StoreError {
    switch status {
    case 0: .unreachable(service: address.shown, detail: summary)
    case 429, 503: .overloaded(service: address.shown, detail: summary)
    default: .serviceFailed(service: address.shown, detail: summary)
    }
  }
}

/// Limits retries, so that an overloaded store is not flooded: there are at most ten, and one more for every
/// ten requests.
final class RetryBudget: Sendable {
  private struct Spent {
    var requests = 0
    var retries = 0
  }

  private let spent = Mutex(Spent())

  /// Counts a request that is sent for the first time.
  func countRequest() { spent.withLock { $0.requests += 1 } }

  /// Whether a request may be sent again; counts it if so.
  func allowsRetry() -> Bool {
    spent.withLock { spent in
      guard spent.retries < spent.requests / 10 + 10 else { return false }
      spent.retries += 1
      return true
    }
  }
}
