import CEscapes
import Glibc
import PhotoIngestion

/// Attempts to escape from inside the sandbox: to files, the network and other processes, and past the limits that the
/// host sets.
enum EscapeAttempt: String {
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

  /// Enters a worker's sandbox and tries to escape; never returns. Exit code 0 means that the attempt was refused, 1
  /// that it succeeded, and 70 that the sandbox is incomplete. The signal SIGSYS means that the process was ended for
  /// trying.
  ///
  /// - Parameters:
  ///   - target: the database to open.
  ///   - withoutSeccomp: leaves out the filter, to test what Landlock, limits and dropped privileges prevent alone.
  func run(target: String, withoutSeccomp: Bool) -> Never {
    var options = DecoderWorker.Options()
    options.filtersCalls = !withoutSeccomp
    options.allowsWeakSandbox = withoutSeccomp
    guard DecoderWorker.getReady(options).problem == nil else { _exit(70) }
    _exit(succeeds(target: target) ? 1 : 0)
  }

  private func succeeds(target: String) -> Bool {
    switch self {
    case .openFile: open("/etc/passwd", O_RDONLY) >= 0
    case .openDatabase: open(target, O_RDWR) >= 0
    case .writeFile: open("/tmp/petspot-escaped", O_WRONLY | O_CREAT, 0o600) >= 0
    case .connect: petspot_try_connect() == 0
    case .bind: petspot_try_bind() == 0
    case .execute: petspot_try_execute("/bin/false") == 0
    case .trace: petspot_try_trace(getppid()) == 0
    // A harmless signal.
    case .killParent: kill(getppid(), SIGWINCH) == 0
    case .mount: petspot_try_mount() == 0
    case .setUser: setuid(getuid() == 0 ? 65_534 : 0) == 0
    case .ioUring: petspot_try_io_uring() == 0
    case .executeMemory: petspot_try_execute_memory() == 0
    case .limitProcessor: petspot_try_limit(0, Int32(RLIMIT_CPU.rawValue)) == 0
    case .limitMemory: petspot_try_limit(0, Int32(RLIMIT_AS.rawValue)) == 0
    // Even the limit that is already in force may not be set.
    case .limitOld: petspot_try_old_limit(Int32(RLIMIT_AS.rawValue)) == 0
    case .limitParent: petspot_try_limit(getppid(), Int32(RLIMIT_CPU.rawValue)) == 0
    case .ignoreLimit: petspot_try_ignore_limit() == 0
    case .scheduler: petspot_try_scheduler() == 0
    case .affinity: petspot_try_affinity() == 0
    case .priority: petspot_try_priority() == 0
    case .ioPriority: petspot_try_io_priority() == 0
    case .timer: petspot_try_timer() == 0
    case .dumpable: petspot_try_dumpable() == 0
    case .namespace: petspot_try_namespace() == 0
    }
  }
}
