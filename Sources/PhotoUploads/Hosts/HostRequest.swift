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
    /// Bytes since the last look at the speed, and the time for which the client kept the server waiting for them.
    var received = 0
    var waited = Duration.zero
    /// The start of the current wait. `nil` while received bytes are written.
    var waitingSince: ContinuousClock.Instant?
    var isTooSlow = false

    /// Adds the current wait to the time.
    mutating func countWait() {
      guard let since = waitingSince else { return }
      let now = ContinuousClock.now
      waited += now - since
      waitingSince = now
    }
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
    defer { state.withLock { $0.waitingSince = nil } }
    var count = 0
    state.withLock { $0.waitingSince = .now }
    for try await piece in request.body {
      state.withLock { state in
        state.countWait()
        state.waitingSince = nil
        state.received += piece.readableBytes
      }
      count += piece.readableBytes
      if count > limit { throw HTTPFailure.tooLarge(actual: count, limit: limit) }
      try await take(piece)
      state.withLock { $0.waitingSince = .now }
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
    let watch = Task { [self] in
      while true {
        try await Task.sleep(for: period)
        let isTooSlow = state.withLock { state in
          state.countWait()
          // A slow disk isn't the client's fault.
          let least = state.waited / .seconds(1) * Double(bytesPerSecond)
          state.isTooSlow = state.waited > period / 2 && Double(state.received) < least
          state.received = 0
          state.waited = .zero
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
