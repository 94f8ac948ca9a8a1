import Foundation
import PhotoAttachments
import Synchronization

/// What Ctrl-C and a polite kill do: work that has to leave a clean state is cancelled and waited
/// for, everything else ends at once. A second signal always ends at once; the store stands that.
enum Interruption {
  private static let cancel = Mutex<(@Sendable () -> Void)?>(nil)
  private static let undo = Mutex<(@Sendable () -> Void)?>(nil)

  /// What is said when a signal ends the process, instead of the plain word.
  static var lastWords: String? {
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
    // Its own meaning, which a process without a shell above it is spared.
    raise(SIGTSTP)
    pthread_sigmask(SIG_SETMASK, &before, nil)
  }

  /// Takes over SIGINT, SIGTERM, SIGHUP and SIGTSTP. Call it before the first thread starts: threads
  /// inherit the mask that leaves these signals to this file's thread. A file that may grow no more is an error of
  /// the write and no reason to die.
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
          if isatty(STDERR_FILENO) == 1 { Output.raw("\r\u{1B}[K") }  // over a bar
          let plain = L10n.words(.interrupted)
          Output.note("petspot: " + (lastWords ?? plain))
          _exit(StoreError.cancelled.exitCode)
        }
        running()
      }
    }
  }

  /// Gives signals back their first meaning, for a program that takes this one's place. SIGXFSZ stays
  /// ignored.
  static func giveBack() {
    var none = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, nil)
  }

  /// Runs `work`; a signal that ends the process meanwhile calls `undo` first.
  static func undoing<T>(
    _ undo: @escaping @Sendable () -> Void, _ work: () throws -> T
  ) rethrows -> T {
    Self.undo.withLock { $0 = undo }
    defer { Self.undo.withLock { $0 = nil } }
    return try work()
  }

  /// The same for work that waits.
  @MainActor static func undoing<T>(
    _ undo: @escaping @Sendable () -> Void, _ work: @MainActor () async throws -> T
  ) async rethrows -> T {
    Self.undo.withLock { $0 = undo }
    defer { Self.undo.withLock { $0 = nil } }
    return try await work()
  }

  /// Runs `work` so that the first signal cancels it and lets it restore a clean state.
  ///
  /// - Parameter onInterrupt: called at that signal.
  static func cancelling<T: Sendable>(
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
