import Glibc

/// Ways out of the sandbox, tried from inside it: to files, network and other processes, and past the
/// limits that the keeper sets.
package enum EscapeAttempt: String, Sendable, CaseIterable {
  case openFile = "open-file"
  case openDatabase = "open-database"
  case writeFile = "write-file"
  case connect, bind
  case execute
  case trace
  case killParent = "kill-parent"
  case mount
  case setUser = "set-user"
  case ioUring = "io-uring"
  case executeMemory = "execute-memory"
  case limitProcessor = "limit-processor"
  case limitMemory = "limit-memory"
  case limitOld = "limit-old"
  case limitParent = "limit-parent"
  case ignoreLimit = "ignore-limit"
  case scheduler, affinity, priority
  case ioPriority = "io-priority"
  case timer, dumpable, namespace

  /// Enters the sandbox of a worker and tries to get out; never returns. Exit code 0 says that the
  /// attempt was refused, 1 that it succeeded, 70 that there is no sandbox; the signal SIGSYS that the
  /// process was ended for trying.
  ///
  /// - Parameters:
  ///   - target: the database to open.
  ///   - withoutSeccomp: tries what Landlock, limits and lost privileges hold without the filter.
  package static func run(
    _ attempt: EscapeAttempt, target: String, withoutSeccomp: Bool = false
  ) -> Never {
    Sandbox.filtersCalls = !withoutSeccomp
    var options = DecoderWorker.Options()
    options.allowsWeakSandbox = withoutSeccomp
    guard DecoderWorker.getReady(options).problem == nil else { _exit(70) }
    _exit(attempt.succeeds(target: target) ? 1 : 0)
  }

  private func succeeds(target: String) -> Bool {
    switch self {
    case .openFile: open("/etc/passwd", O_RDONLY) >= 0
    case .openDatabase: open(target, O_RDWR) >= 0
    case .writeFile: open("/tmp/petspot-escaped", O_WRONLY | O_CREAT, 0o600) >= 0
    case .connect: Sandbox.Try.connect() == 0
    case .bind: Sandbox.Try.bind() == 0
    case .execute: Sandbox.Try.execute("/bin/false") == 0
    case .trace: Sandbox.Try.trace(getppid()) == 0
    // A harmless signal.
    case .killParent: kill(getppid(), SIGWINCH) == 0
    case .mount: Sandbox.Try.mount() == 0
    case .setUser: setuid(getuid() == 0 ? 65_534 : 0) == 0
    case .ioUring: Sandbox.Try.ioUring() == 0
    case .executeMemory: Sandbox.Try.executeMemory() == 0
    case .limitProcessor: Sandbox.Try.limit(0, RLIMIT_CPU) == 0
    case .limitMemory: Sandbox.Try.limit(0, RLIMIT_AS) == 0
    // Even what is in force already may not be set.
    case .limitOld: Sandbox.Try.oldLimit(RLIMIT_AS) == 0
    case .limitParent: Sandbox.Try.limit(getppid(), RLIMIT_CPU) == 0
    case .ignoreLimit: Sandbox.Try.ignoreLimit() == 0
    case .scheduler: Sandbox.Try.scheduler() == 0
    case .affinity: Sandbox.Try.affinity() == 0
    case .priority: Sandbox.Try.priority() == 0
    case .ioPriority: Sandbox.Try.ioPriority() == 0
    case .timer: Sandbox.Try.timer() == 0
    case .dumpable: Sandbox.Try.dumpable() == 0
    case .namespace: Sandbox.Try.namespace() == 0
    }
  }
}
