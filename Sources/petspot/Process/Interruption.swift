import Foundation
import PhotoAttachments
import PhotoIngestion
import Synchronization
import ReportFlow

/// What Ctrl-C and SIGTERM do: work that has to leave a clean state is cancelled and waited for,
/// everything else ends at once. A second signal always ends the process at once, which the store
/// survives.
enum Interruption {
  private static let cancel = Mutex<(@Sendable () -> Void)?>(nil)
  private static let undo = Mutex<(@Sendable () -> Void)?>(nil)

  /// What is printed when a signal ends the process, in place of "interrupted".
  static var interruptedMessage: String? {
    get { message.withLock { $0 } }
    set { message.withLock { $0 = newValue } }
  }
  private static let message = Mutex<String?>(nil)

  /// What runs around a suspension (Ctrl-Z); it is given what suspends, and calls it.
  static var aroundSuspension: (@Sendable (() -> Void) -> Void)? {
    get { suspending.withLock { $0 } }
    set { suspending.withLock { $0 = newValue } }
  }
  private static let suspending = Mutex<(@Sendable (() -> Void) -> Void)?>(nil)

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
          if let around = aroundSuspension { around(suspend) } else { suspend() }
          continue
        }
        let running = cancel.withLock { running in
          defer { running = nil }
          return running
        }
        guard let running else {
          undo.withLock { $0 }?()
          if isatty(STDERR_FILENO) == 1 { Output.raw("\r\u{1B}[K") }  // over the progress bar
          let plain = L10n.words("command.interrupted")
          Output.note("petspot: " + (interruptedMessage ?? plain))
          _exit(StoreError.cancelled.facts.exitCode)
        }
        running()
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
    Self.undo.withLock { $0 = undo }
    defer { Self.undo.withLock { $0 = nil } }
    return try work()
  }

  /// The same for work that waits.
  static func withCleanup<T>(
    _ undo: @escaping @Sendable () -> Void, _ work: () async throws -> T
  ) async rethrows -> T {
    Self.undo.withLock { $0 = undo }
    defer { Self.undo.withLock { $0 = nil } }
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
    cancel.withLock {
      $0 = {
        task.cancel()
        report()
      }
    }
    defer { cancel.withLock { $0 = nil } }
    return try await task.value.get()
  }
}
