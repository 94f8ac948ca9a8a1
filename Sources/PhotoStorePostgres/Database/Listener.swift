import Foundation
import Glibc
import PhotoAttachments
import Synchronization

/// The new watchers of drafts, and the state of the thread that listens for notifications while there are any.
final class Listener: Sendable {
  /// A function that receives the changes of a draft's attachment until `end` is called.
  final class Waiting: Sendable {
    let id = UUID()
    let draft: String
    private let observer: AttachmentWatchers.Receive
    private let isEnded = Mutex(false)

    init(_ draft: String, _ observer: @escaping AttachmentWatchers.Receive) {
      self.draft = draft
      self.observer = observer
    }

    func end() { isEnded.withLock { $0 = true } }
    func hear(_ record: AttachmentRecord?) -> Bool {
      isEnded.withLock { $0 } ? false : observer(record)
    }
  }

  private struct State {
    var waiting: [Waiting] = []
    var isRunning = false
    var isStopped = false
  }
  private let state = Mutex(State())
  private let reader, writer: Int32

  init() {
    var ends: [Int32] = [-1, -1]
    _ = pipe(&ends)
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    reader = ends[0]
    writer = ends[1]
  }

  deinit {
    close(reader)
    close(writer)
  }

  /// Adds a watcher. Returns `true` if the caller has to start the thread.
  func add(_ one: Waiting) -> Bool {
    let starts = state.withLock { state in
      if state.isStopped { return false }
      state.waiting.append(one)
      defer { state.isRunning = true }
      return !state.isRunning
    }
    wake()
    return starts
  }

  /// Returns the watchers that were added since the last call.
  func takeWaiting() -> [Waiting] {
    state.withLock { state in
      defer { state.waiting = [] }
      return state.waiting
    }
  }

  /// Returns `true` if the thread has to continue. Otherwise the next watcher starts a new one.
  func goesOn(with drafts: [String]) -> Bool {
    state.withLock { state in
      if state.isStopped || drafts.isEmpty && state.waiting.isEmpty { state.isRunning = false }
      return state.isRunning
    }
  }

  /// Ends the thread for good.
  func stop() {
    state.withLock { $0.isStopped = true }
    wake()
  }

  private func wake() { _ = [UInt8(0)].withUnsafeBytes { write(writer, $0.baseAddress, 1) } }

  /// Waits for notifications, for up to 30 seconds or until it is woken. Returns `nil` if nothing came in that time, so
  /// that the caller reads all watched drafts again.
  func notices(on connection: PostgresConnection) throws(PostgresError) -> [String]? {
    let began = ContinuousClock.now
    let payloads = try connection.notices(orWaking: reader, milliseconds: 30_000)
    var waste = [UInt8](repeating: 0, count: 64)
    var isWoken = false
    while read(reader, &waste, waste.count) > 0 { isWoken = true }
    if payloads.isEmpty, !isWoken, ContinuousClock.now - began > .seconds(29) { return nil }
    return payloads
  }

  /// Waits for half a second or until it is woken.
  func rest() {
    var polled = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
    _ = poll(&polled, 1, 500)
    var waste = [UInt8](repeating: 0, count: 64)
    while read(reader, &waste, waste.count) > 0 {}
  }
}
