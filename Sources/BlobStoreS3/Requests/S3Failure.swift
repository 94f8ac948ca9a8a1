import HTTPClient
import PhotoAttachments
import Synchronization

/// An answer that is none of those that were asked for.
struct S3Failure: Sendable {
  /// The HTTP status, 0 when no answer came.
  let status: Int
  /// S3's word, such as `SlowDown`; empty without one.
  let code: String
  /// For a message.
  let words: String
  /// Whether no whole answer came.
  var isLost: Bool { status == 0 }

  init(lost why: String) { (status, code, words) = (0, "", why) }

  /// Nil for an answer that says that it was done.
  init?(_ answer: HTTPResponse) {
    if (200..<300).contains(answer.status) { return nil }
    status = answer.status
    let error = try? SmallXML(parsing: answer.body)
    code = error?.name == "Error" ? error?["Code"]?.text ?? "" : ""
    words = code.isEmpty ? "HTTP \(answer.status)" : "HTTP \(answer.status), \(code)"
  }

  /// Whether another try may succeed. A digest that does not fit belongs to bytes that were changed on
  /// their way: these fit.
  var isTransient: Bool {
    [0, 408, 429, 500, 502, 503, 504].contains(status)
      || [
        "RequestTimeout", "IncompleteBody", "OperationAborted", "BadDigest",
        "XAmzContentSHA256Mismatch",
      ].contains(code)
  }

  /// What it means once nothing is tried any more.
  func error(_ address: S3Address, after tries: Int) -> StoreError {
    switch status {
    case 0: .unreachable(service: address.shown, detail: words)
    case 429, 503: .overloaded(service: address.shown, detail: words)
    default: .serviceFailed(service: address.shown, detail: words)
    }
  }
}

/// How often requests are tried again, so that a sick store is not stormed: retries are at most a
/// tenth of all requests, and ten.
final class RetryBudget: Sendable {
  private struct Spent {
    var requests = 0
    var retries = 0
  }

  private let spent = Mutex(Spent())

  /// Notes a first try.
  func begin() { spent.withLock { $0.requests += 1 } }

  /// Whether one may be tried again.
  func takes() -> Bool {
    spent.withLock { spent in
      guard spent.retries < spent.requests / 10 + 10 else { return false }
      spent.retries += 1
      return true
    }
  }
}
