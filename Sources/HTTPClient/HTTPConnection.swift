import Dispatch
import Synchronization

/// Asks servers without keeping a thread of the cooperative pool, without cache, cookies and
/// kept passwords: nothing is written. Credentials go to no other server than the one that was named,
/// as no redirect is followed unless that is asked for.
package final class HTTPConnection: Sendable {
  private let transport = CurlTransport()

  /// A connection that is made with the first request.
  package init() {}

  /// Sends one request, once.
  ///
  /// - Throws: `HTTPFailure`; `CancellationError` within a second of the task's cancellation.
  package func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    let isCancelled = Atomic(false)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async { [transport] in
          continuation.resume(
            with: Result {
              do throws(HTTPFailure) {
                return try transport.send(request) { isCancelled.load(ordering: .relaxed) }
              } catch {
                throw error.kind == .cancelled ? CancellationError() : error
              }
            })
        }
      }
    } onCancel: {
      isCancelled.store(true, ordering: .relaxed)
    }
  }
}
