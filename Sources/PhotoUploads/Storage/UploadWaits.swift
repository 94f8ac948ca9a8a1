import Synchronization

/// Requests that wait because another request uses the upload or its photo is being checked. One may wait per upload,
/// and two per client. They are woken when the other request ends, and once a second because that request may be at
/// another server.
package final class UploadWaits: Sendable {
  /// A request's wait, from `begin` to `end`.
  struct Wait: Sendable {
    fileprivate let token: String
    fileprivate let client: String
    /// Yields whenever the request should try again.
    let tries: AsyncStream<Void>
    fileprivate let wake: AsyncStream<Void>.Continuation

    /// Wakes the request once a second until the limit, then ends the tries.
    func wake(for limit: Duration) async throws {
      let end = ContinuousClock.now + limit
      while ContinuousClock.now < end {
        try await Task.sleep(for: .seconds(1))
        wake.yield()
      }
      wake.finish()
    }
  }

  private let perClient: Int?
  private let waits = Mutex<[String: Wait]>([:])

  /// - Parameter perClient: the number of a client's requests that may wait. `nil` means any number.
  package init(perClient: Int?) { self.perClient = perClient }

  /// Begins a wait. Its first try is due at once.
  ///
  /// - Throws: 503 if another request already waits for the upload, or too many of the client's requests wait.
  func begin(for token: String, of client: String) throws(HTTPFailure) -> Wait {
    try waits.withLock { waits throws(HTTPFailure) in
      let own = waits.values.count { $0.client == client }
      guard waits[token] == nil, own < perClient ?? .max else { throw .busy(retryAfter: 1) }
      let (tries, wake) = AsyncStream.makeStream(
        of: Void.self, bufferingPolicy: .bufferingNewest(1))
      let wait = Wait(token: token, client: client, tries: tries, wake: wake)
      waits[token] = wait
      wake.yield()
      return wait
    }
  }

  func end(_ wait: Wait) { waits.withLock { $0[wait.token] = nil } }

  /// Wakes the request that waits for an upload.
  func wake(_ token: String) { waits.withLock { $0[token] }?.wake.yield() }
}
