import Foundation
import PhotoAttachments
import PhotoIngestion
import Synchronization
import ReportFlow

/// What Ctrl-C and SIGTERM do: work that has to leave a clean state is cancelled and waited for,
/// everything else ends at once. A second signal always ends the process at once, which the store
/// survives.
enum Interruption {
  /// What signals do meanwhile.
  struct Reactions: Sendable {
    fileprivate var cancel: (@Sendable () -> Void)?
    fileprivate var undo: (@Sendable () -> Void)?
    /// What is printed when a signal ends the process, in place of "interrupted".
    var message: String?
    /// What runs around a suspension (Ctrl-Z); it is given what suspends, and calls it.
    var aroundSuspension: @Sendable (() -> Void) -> Void = { $0() }
  }
  static let reactions = Mutex(Reactions())

  /// Suspends this process as its terminal would; returns when it goes on.
  static func suspend() {
    var stop = sigset_t()
    sigaddset(&stop, SIGTSTP)
    var before = sigset_t()
    pthread_sigmask(SIG_UNBLOCK, &stop, &before)
    // With the default action. The kernel ignores it where no shell could continue the process.
    raise(SIGTSTP)
    pthread_sigmask(SIG_SETMASK, &before, nil)
  }

  /// Takes over SIGINT, SIGTERM, SIGHUP and SIGTSTP. Call it before the first thread starts: threads
  /// inherit the mask that leaves these signals to this file's thread. A file at its
  /// size limit is an error of the write and does not end the process.
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
          Output.note("petspot: " + (now.message ?? L10n.words("command.interrupted")))
          _exit(StoreError.cancelled.facts.exitCode)
        }
        cancel()
      }
    }
  }

  /// Unblocks all signals, for a program that takes this one's place. SIGXFSZ stays
  /// ignored.
  static func unblockSignals() {
    var none = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, nil)
  }

  /// Runs `work`; a signal that ends the process meanwhile calls `undo` first.
  static func withCleanup<T>(
    _ undo: @escaping @Sendable () -> Void, _ work: () throws -> T
  ) rethrows -> T {
    reactions.withLock { $0.undo = undo }
    defer { reactions.withLock { $0.undo = nil } }
    return try work()
  }

  /// The same for work that waits.
  static func withCleanup<T>(
    _ undo: @escaping @Sendable () -> Void, _ work: () async throws -> T
  ) async rethrows -> T {
    reactions.withLock { $0.undo = undo }
    defer { reactions.withLock { $0.undo = nil } }
    return try await work()
  }

  /// Runs `work` so that the first signal cancels it and lets it restore a clean state.
  ///
  /// - Parameter onInterrupt: called at that signal.
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

  /// Runs work that blocks on `threads`, so that the first signal makes it stop in a clean state.
  static func withStop<T: Sendable>(
    _ stop: StopFlag, on threads: WorkerPool, _ work: @escaping @Sendable () throws -> T
  ) async throws(StoreError) -> T {
    try await withCancellation(onInterrupt: { stop.set() }) { () async throws(StoreError) in
      try await threads.finish(work)
    }
  }
}
