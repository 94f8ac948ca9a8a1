import Synchronization

/// Lets so many in, and turns the others away at once.
final class AdmissionGate: Sendable {
  private let most: Int
  private let inside = Mutex(0)

  init(most: Int) { self.most = most }

  /// How many are inside.
  var count: Int { inside.withLock { $0 } }

  /// Runs work inside.
  ///
  /// - Throws: 503 when it is full; what `work` throws.
  func pass<Value>(_ work: () async throws -> Value) async throws -> Value {
    let isIn = inside.withLock { count in
      guard count < most else { return false }
      count += 1
      return true
    }
    guard isIn else { throw ErrorAnswer.busy(retryAfter: 5) }
    defer { inside.withLock { $0 -= 1 } }
    return try await work()
  }
}
