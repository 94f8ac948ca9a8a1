import Dispatch
import Synchronization

/// An asynchronous HTTP client that blocks no thread of the cooperative pool.
///
/// It has no cache, no cookies and no stored passwords, and writes nothing to disk. Credentials only go to the server
/// in the request, because redirects are not followed unless the request asks for it.
package final class HTTPConnection: Sendable {
  private let transport = CurlTransport()

  /// Creates a client. It connects with the first request.
  package init() {}

  /// Sends one request without retries.
  ///
  /// - Throws: `HTTPTransportError`, or `CancellationError` within a second after the task is cancelled.
  package func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    let isCancelled = Atomic(false)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async { [transport] in
          continuation.resume(
            with: Result {
              do throws(HTTPTransportError) {
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
