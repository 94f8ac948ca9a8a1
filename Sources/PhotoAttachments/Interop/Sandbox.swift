import CSandbox
import Glibc

/// What holds a worker process.
public struct SandboxPosture: Codable, Sendable, Equatable {
  /// Version of Landlock in force, 0 for none.
  public var landlock: Int
  /// Whether system calls are filtered.
  public var seccomp: Bool
  /// Why the cage is not whole, nil when it is: `sandbox-landlock`, `sandbox-seccomp`,
  /// `sandbox-limits`, `sandbox-threads`.
  public var problem: String?
}

/// The cage of a worker. What it takes away, a process never gets back.
enum Sandbox {
  /// False only to try what holds without the filter. Set before `enter`, on the only thread.
  nonisolated(unsafe) static var filtersCalls = true

  /// Ends this process when the thread that started it ends.
  static func dieWithParent() { _ = petspot_die_with_parent() }

  /// Takes away files, network, processes and privileges, and bounds what is left. The libraries have
  /// to be loaded, and this has to be the only thread.
  ///
  /// The number of processes is not limited by rlimit, which counts all of a user's: the filter
  /// allows no new process, and the address space bounds the threads.
  static func enter(memoryBytes: Int) -> SandboxPosture {
    var posture = SandboxPosture(landlock: 0, seccomp: false)
    guard taskCount == 1 else {
      posture.problem = "sandbox-threads"
      return posture
    }
    let limits: [(__rlimit_resource, Int)] = [
      (RLIMIT_AS, memory(upTo: memoryBytes)), (RLIMIT_CORE, 0), (RLIMIT_FSIZE, 0), (RLIMIT_STACK, 8 << 20),
    ]
    for (resource, value) in limits
    where petspot_set_limit(
      Int32(resource.rawValue), UInt64(value), UInt64(value)) != 0
    {
      posture.problem = "sandbox-limits"
    }
    // One HEIC starts about a hundred threads.
    guard petspot_set_thread_stack(1 << 20) == 0, petspot_no_new_privileges() == 0 else {
      posture.problem = "sandbox-limits"
      return posture
    }
    let version = petspot_landlock_version()
    if version > 0, petspot_landlock_deny_all(version) == 0 { posture.landlock = Int(version) }
    // Descriptors 0 to 3 are open; from here on no more. Landlock needed one.
    if petspot_set_limit(Int32(RLIMIT_NOFILE.rawValue), 4, 4) != 0 {
      posture.problem = "sandbox-limits"
    }
    posture.seccomp = filtersCalls && petspot_seccomp_start() == 0
    if posture.landlock == 0 { posture.problem = "sandbox-landlock" }
    if !posture.seccomp { posture.problem = "sandbox-seccomp" }
    return posture
  }

  /// Least bytes of address space to decode in; most of it is libraries.
  static let leastMemory = 1 << 30

  /// Where the system allows less memory the cage is only tighter; too little stays a problem.
  private static func memory(upTo bytes: Int) -> Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0 else { return bytes }
    let allowed = Int(clamping: UInt64(limit.rlim_max))
    return allowed < bytes && allowed >= leastMemory ? allowed : bytes
  }

  /// Lets this process use so many more seconds of processor time.
  static func limitProcessorTime(seconds: Int) {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    let used = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + 1
    _ = petspot_set_limit(Int32(RLIMIT_CPU.rawValue), UInt64(used + seconds), UInt64.max)
  }

  /// Threads of this process.
  private static var taskCount: Int {
    guard let directory = opendir("/proc/self/task") else { return 1 }
    defer { closedir(directory) }
    var count = -2  // `.` and `..`
    while readdir(directory) != nil { count += 1 }
    return count
  }

  /// System calls that no photo needs, for `EscapeAttempt`; each gives 0 when it worked.
  enum Try {
    static func connect() -> Int32 { petspot_try_connect() }
    static func bind() -> Int32 { petspot_try_bind() }
    static func execute(_ path: String) -> Int32 { petspot_try_execute(path) }
    static func trace(_ pid: Int32) -> Int32 { petspot_try_trace(pid) }
    static func mount() -> Int32 { petspot_try_mount() }
    static func ioUring() -> Int32 { petspot_try_io_uring() }
    static func executeMemory() -> Int32 { petspot_try_execute_memory() }
  }
}
