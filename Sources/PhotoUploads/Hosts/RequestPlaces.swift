import HTTPTypes
import Synchronization

/// The requests with a body that are in progress. Each one takes a place.
final class RequestPlaces: Sendable {
  private let limits: PhotoUploadLimits
  private let counts = Mutex<[String: Int]>([:])

  init(_ limits: PhotoUploadLimits) { self.limits = limits }

  /// Runs the work of a client's request, which has a place meanwhile.
  ///
  /// - Throws: 429 if the client has too many requests, 503 if there are too many in all.
  func run<Value>(for client: String, _ work: () async throws -> Value) async throws -> Value {
    try counts.withLock { counts throws(HTTPFailure) in
      guard counts[client] ?? 0 < limits.requestsPerClient else {
        throw HTTPFailure(
          429, "TOO_MANY_REQUESTS", "Too many requests at once. Wait until one has been answered.",
          headers: [.retryAfter: "5"])
      }
      guard counts.values.reduce(0, +) < limits.requests else { throw .busy(retryAfter: 5) }
      counts[client, default: 0] += 1
    }
    defer {
      counts.withLock { counts in
        let rest = (counts[client] ?? 1) - 1
        counts[client] = rest > 0 ? rest : nil
      }
    }
    return try await work()
  }
}
