import ServiceLifecycle
import Synchronization

/// The open event streams, one per draft and client. A newer stream ends the older one. A client can have any number of
/// drafts, so its oldest stream ends when it has more than `perClient`. Once a second, all streams check whether there
/// is something to write. They end when the server does.
final class StatusStreams: NamedService {
  private struct State {
    var open: [StatusStream.Key: StatusStream] = [:]
    var lastNumber = 0
    var isEnded = false
  }

  private let perClient: Int?
  private let state = Mutex(State())

  /// - Parameter perClient: the number of streams that one client may have. `nil` means any number.
  init(perClient: Int?) { self.perClient = perClient }

  /// Opens a stream, which the caller passes to `close` when its response has ended.
  func open(_ draft: String, _ client: ClientNetwork) -> StatusStream {
    let key = StatusStream.Key(draft: draft, client: client)
    let (stream, older) = state.withLock { state -> (StatusStream, StatusStream?) in
      state.lastNumber += 1
      let stream = StatusStream(key, number: state.lastNumber)
      if state.isEnded { return (stream, stream) }
      let replaced = state.open.updateValue(stream, forKey: key)
      let theirs = state.open.values.filter { $0.key.client == client }
      guard replaced == nil, theirs.count > perClient ?? .max else { return (stream, replaced) }
      return (stream, theirs.min { $0.number < $1.number })
    }
    older?.end()
    return stream
  }

  func close(_ stream: StatusStream) {
    state.withLock { if $0.open[stream.key] === stream { $0.open[stream.key] = nil } }
  }

  func run() async throws {
    try? await cancelWhenGracefulShutdown { [self] in
      while true {
        try await Task.sleep(for: .seconds(1))
        for stream in state.withLock({ Array($0.open.values) }) { stream.wake() }
      }
    }
    let open = state.withLock { state in
      state.isEnded = true
      return state.open.values.map(\.self)
    }
    for stream in open { stream.end() }
  }
}

/// A browser's event stream about the photo of its draft.
final class StatusStream: Sendable {
  struct Key: Hashable {
    let draft: String
    let client: ClientNetwork
  }

  let key: Key
  fileprivate let number: Int
  /// Yields when there may be something to write.
  let wakeUps: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation
  private let hasChanged = Atomic(true)

  fileprivate init(_ key: Key, number: Int) {
    self.key = key
    self.number = number
    let made = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    wakeUps = made.stream
    continuation = made.continuation
    wake()
  }

  fileprivate func wake() { continuation.yield() }

  /// Ends the stream. Any thread may call it.
  @Sendable func end() { continuation.finish() }

  /// Records that the draft's photo has changed.
  ///
  /// - Returns: `false` if the stream has ended.
  func noteChange() -> Bool {
    hasChanged.store(true, ordering: .releasing)
    if case .terminated = continuation.yield() { return false }
    return true
  }

  /// Returns `true` if the photo has changed since the last call.
  func takeChange() -> Bool { hasChanged.exchange(false, ordering: .acquiringAndReleasing) }
}
