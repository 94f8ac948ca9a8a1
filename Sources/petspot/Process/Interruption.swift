import Foundation
import PhotoAttachments
import PhotoIngestion
import Synchronization
import ReportFlow

/// Handling of Ctrl-C and SIGTERM.
///
/// Work that has to leave a clean state is canceled, and the process waits for it. Anything else ends at once. A second
/// signal always ends the process at once, which is safe for the store.
enum Interruption {
  /// The current reactions to signals.
  struct Reactions: Sendable {
    fileprivate var cancel: (@Sendable () -> Void)?
    fileprivate var undo: (@Sendable () -> Void)?
    /// The message that replaces "interrupted" if a signal ends the process.
    var message: String?
    /// Runs around a suspension (Ctrl-Z). It must call the function that it is given, which suspends the process.
    var aroundSuspension: @Sendable (() -> Void) -> Void = { $0() }
  }
  static let reactions = Mutex(Reactions())

  /// Suspends this process like its terminal would. Returns when the process is continued.
  static func suspend() {
    var stop = sigset_t()
    sigaddset(&stop, SIGTSTP)
    var before = sigset_t()
    pthread_sigmask(SIG_UNBLOCK, &stop, &before)
    // Use the default action, because the kernel ignores it if no shell could continue the process.
    raise(SIGTSTP)
    pthread_sigmask(SIG_SETMASK, &before, nil)
  }

  /// Handles SIGINT, SIGTERM, SIGHUP and SIGTSTP on a new thread. Call it before any other thread starts, because it
  /// blocks these signals on the calling thread, and later threads inherit that. Also ignores SIGXFSZ, so that a file
  /// at its size limit makes the write fail instead of ending the process.
  static func install() {
    signal(SIGXFSZ, SIG_IGN)
    let signals = [SIGINT, SIGTERM, SIGHUP, SIGTSTP].reduce(into: sigset_t()) { sigaddset(&$0, $1) }
    withUnsafePointer(to: signals) { _ = pthread_sigmask(SIG_BLOCK, $0, nil) }
    Thread.detachNewThread {
      while true {
        var signal: Int32 = 0
        _ = withUnsafePointer(to: signals) { sigwait($0, &signal) }
        if signal == SIGTSTP {
          reactions.withLock { $0.aroundSuspension }(suspend)
          continue
        }
        let now = reactions.withLock { reactions in
          defer { reactions.cancel = nil }
          return reactions
        }
        guard let cancel = now.cancel else {
          now.undo?()
          if isatty(STDERR_FILENO) == 1 { Output.raw("\r\u{1B}[K") }  // over the progress bar
          Output.printNote("petspot: " + (now.message ?? L10n.words("command.interrupted")))
          _exit(StoreError.cancelled.exitCode)
        }
        cancel()
      }
    }
  }

  /// Unblocks all signals before this process executes another program. SIGXFSZ stays ignored.
  static func unblockSignals() {
    var none = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, nil)
  }

  /// Runs `work`. If a signal ends the process in the meantime, `undo` is called first.
  static func withCleanup<T>(
    _ undo: @escaping @Sendable () -> Void, _ work: () throws -> T
  ) rethrows -> T {
    reactions.withLock { $0.undo = undo }
    defer { reactions.withLock { $0.undo = nil } }
    return try work()
  }

  /// Runs asynchronous work in the same way.
  static func withCleanup<T>(
    _ undo: @escaping @Sendable () -> Void, _ work: () async throws -> T
  ) async rethrows -> T {
    reactions.withLock { $0.undo = undo }
    defer { reactions.withLock { $0.undo = nil } }
    return try await work()
  }

  /// Runs `work`. The first signal cancels its task, so that it can restore a clean state.
  ///
  /// - Parameter onInterrupt: a function that is called at that signal.
  static func withCancellation<T: Sendable>(
    onInterrupt report: @escaping @Sendable () -> Void = {},
    _ work: @escaping @Sendable () async throws(StoreError) -> T
  ) async throws(StoreError) -> T {
    let task = Task { () async -> Result<T, StoreError> in
      do throws(StoreError) { return .success(try await work()) } catch { return .failure(error) }
    }
    reactions.withLock {
      $0.cancel = {
        task.cancel()
        report()
      }
    }
    defer { reactions.withLock { $0.cancel = nil } }
    return try await task.value.get()
  }

  /// Runs blocking work on `threads`. The first signal sets `stop`, so that the work ends in a clean state.
  static func withStop<T: Sendable>(
    _ stop: StopFlag, on threads: WorkerPool, _ work: @escaping @Sendable () throws -> T
  ) async throws(StoreError) -> T {
    try await withCancellation(onInterrupt: { stop.set() }) { () async throws(StoreError) in
      try await threads.finish(work)
    }
  }
}
