import Synchronization

/// Requests that wait for an upload which another request has, or whose photo is judged: one per upload, and two per
/// client. They are woken when the other request ends, and now and then, because it may be another server's.
final class UploadWaits: Sendable {
  /// A request's wait, from `begin` to `end`.
  struct Wait: Sendable {
    fileprivate let token: String
    fileprivate let client: ClientNetwork
    /// Has an element when it is worth another try.
    let tries: AsyncStream<Void>
    fileprivate let wake: AsyncStream<Void>.Continuation

    /// Wakes the request once a second until the limit, and ends the tries then.
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

  /// - Parameter perClient: how many of one client may wait; `nil` for any number.
  init(perClient: Int?) { self.perClient = perClient }

  /// Begins a wait, whose first try is due at once.
  ///
  /// - Throws: 503 if another request waits for the upload, or too many of the client wait.
  func begin(for token: String, of client: ClientNetwork) throws(ErrorResponse) -> Wait {
    try waits.withLock { waits throws(ErrorResponse) in
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
