import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOHTTPTypes
import Synchronization

/// A request that a host passes on.
final class HostRequest: UploadRequest {
  let request: Request
  let id: String
  let clientName: String
  let uploadToken: String
  let uploadsURL: String
  private let channel: (any Channel)?
  private let state = Mutex(State())

  private struct State {
    var isReading = false
    /// Bytes since the last look at the speed.
    var received = 0
    var isTooSlow = false
  }

  init(
    _ request: Request, id: String, from client: String, upload token: String?,
    on channel: (any Channel)?
  ) {
    self.request = request
    self.id = id
    self.channel = channel
    clientName = client
    uploadToken = token ?? ""
    let path = request.uri.path
    uploadsURL = token == nil ? path : String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)])
  }

  func readBody(limit: Int, _ take: (ByteBuffer) async throws -> Void) async throws {
    let length = request.headers.bodyLength
    if let length, length > limit { throw HTTPFailure.tooLarge(actual: length, limit: limit) }
    if request.headers[.expect]?.lowercased() == "100-continue" { sendInterim(.continue, [:]) }
    state.withLock { $0.isReading = true }
    defer { state.withLock { $0.isReading = false } }
    var count = 0
    for try await piece in request.body {
      count += piece.readableBytes
      if count > limit { throw HTTPFailure.tooLarge(actual: count, limit: limit) }
      state.withLock { $0.received += piece.readableBytes }
      try await take(piece)
    }
    if let length, count != length {
      throw HTTPFailure(400, "INCOMPLETE_BODY", "The body ended early. Send it again.")
    }
  }

  func sendInterim(_ status: HTTPResponse.Status, _ fields: HTTPFields) {
    let head = HTTPResponse(status: status, headerFields: fields)
    channel?.writeAndFlush(HTTPResponsePart.head(head), promise: nil)
  }

  func whileClientWaits<Value: Sendable>(
    _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    try await work()
  }

  // MARK: - Speed

  /// Runs the request's work, and cancels it if its body arrives too slowly.
  ///
  /// - Parameters:
  ///   - bytesPerSecond: the minimum speed.
  ///   - period: the time over which the speed is measured.
  /// - Throws: 408; the errors of `work`.
  func ending<Value: Sendable>(
    below bytesPerSecond: Int, over period: Duration = .seconds(20),
    _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let task = Task(operation: work)
    let least = period / .seconds(1) * Double(bytesPerSecond)
    let watch = Task { [self] in
      while true {
        let wasReading = state.withLock { state in
          state.received = 0
          return state.isReading
        }
        try await Task.sleep(for: period)
        let isTooSlow = state.withLock { state in
          state.isTooSlow = wasReading && state.isReading && Double(state.received) < least
          return state.isTooSlow
        }
        if isTooSlow { return task.cancel() }
      }
    }
    defer { watch.cancel() }
    do {
      return try await withTaskCancellationHandler {
        try await task.value
      } onCancel: {
        task.cancel()
      }
    } catch {
      guard state.withLock({ $0.isTooSlow }) else { throw error }
      throw HTTPFailure(
        408, "REQUEST_TIMEOUT",
        "The body arrived too slowly. Send it again over a faster connection.",
        headers: [.connection: "close"])
    }
  }
}
