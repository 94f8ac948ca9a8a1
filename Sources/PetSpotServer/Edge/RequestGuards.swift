import HummingbirdCore

/// Refuses requests by their heads, or lets them pass.
protocol RequestGuard: Sendable {
  func check(_ request: Request) throws(ErrorResponse)
}

/// The guards in the order in which they check a request. Before them, a connection has passed
/// `ClientConnections` and `ConnectionGuard`; behind them, `BodyLimiter` counts the request's body, a page or
/// list waits at a `FairQueue` for its client's turn, and handlers ask `ClientRateLimiter`.
struct RequestGuards: Sendable {
  /// Those of every request.
  let ofRequests: [any RequestGuard]
  /// Those of requests with a route; the others hear of their wrong address or method first.
  let ofRoutes: [any RequestGuard]

  init(_ configuration: ServerConfiguration) {
    let library = configuration.librarySecret.map { LibraryGuard(secret: $0) }
    ofRequests = [MarkGuard(), HostGuard(configuration)] + (library.map { [$0] } ?? [])
    ofRoutes = [BodyGuard(), CrossOriginGuard()]
  }
}

extension [any RequestGuard] {
  /// - Throws: what the first guard says that refuses the request.
  func check(_ request: Request) throws(ErrorResponse) {
    for guardian in self { try guardian.check(request) }
  }
}
