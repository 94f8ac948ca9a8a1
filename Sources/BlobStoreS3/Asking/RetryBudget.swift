import Synchronization

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
