import CSandbox
import Glibc

/// What confines a decoder process.
package struct SandboxPosture: Codable, Sendable, Equatable {
  /// Version of Landlock in force, 0 for none.
  package var landlock: Int
  /// Whether system calls are filtered.
  package var seccomp: Bool
  /// Why the sandbox is not whole, nil when it is.
  package var problem: PhotoError.Fault?
  /// Bytes of address space in force, 0 before there is a sandbox.
  var memoryBytes = 0
}

/// The sandbox of a worker. What it takes away, a process never gets back.
enum Sandbox {
  /// Ends this process when the thread that started it ends, or at once when its end of the socket,
  /// descriptor 3, is alone: a parent that was killed before this call goes unnoticed.
  static func dieWithParent() {
    _ = petspot_die_with_parent()
    if DecoderSocket(descriptor: 3).isAlone { _exit(0) }
  }

  /// Makes the kernel choose this process, and those it splits off, when memory runs out (proc_pid_oom_score_adj(5)):
  /// the host decodes the photo again, but nothing serves clients in its place.
  static func dieBeforeOthers() {
    let file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC)
    guard file >= 0 else { return }
    write(file, "1000", 4)
    close(file)
  }

  /// Takes away files, network, processes and privileges, and bounds what is left. The libraries have
  /// to be loaded, and this has to be the only thread.
  ///
  /// The number of processes is not limited by rlimit, which counts all of a user's: the filter
  /// allows no new process, and the address space bounds the threads.
  ///
  /// - Parameter filtersCalls: false only to see what holds without the filter of system calls.
  static func enter(memoryBytes: Int, filtersCalls: Bool) -> SandboxPosture {
    var posture = SandboxPosture(landlock: 0, seccomp: false)
    guard taskCount == 1 else {
      posture.problem = .sandboxThreads
      return posture
    }
    let limits: [(__rlimit_resource, Int)] = [
      (RLIMIT_CORE, 0), (RLIMIT_FSIZE, 0), (RLIMIT_STACK, 8 << 20), (__RLIMIT_MEMLOCK, 0),
      (__RLIMIT_NICE, 0), (__RLIMIT_RTPRIO, 0), (RLIMIT_AS, memoryBytes),
    ]
    for (resource, value) in limits {
      guard let inForce = lower(resource, to: value) else {
        posture.problem = .sandboxLimits
        continue
      }
      if resource == RLIMIT_AS { posture.memoryBytes = inForce }
    }
    // One HEIC starts about a hundred threads.
    guard petspot_set_thread_stack(1 << 20) == 0, petspot_no_new_privileges() == 0 else {
      posture.problem = .sandboxLimits
      return posture
    }
    let version = petspot_landlock_version()
    if version > 0, petspot_landlock_deny_all() == 0 { posture.landlock = Int(version) }
    // Descriptors 0 to 3 are open; from here on no more. Landlock needed one.
    if lower(RLIMIT_NOFILE, to: 4) == nil { posture.problem = .sandboxLimits }
    posture.seccomp = filtersCalls && petspot_seccomp_start() == 0
    if posture.landlock == 0 { posture.problem = .sandboxLandlock }
    if !posture.seccomp { posture.problem = .sandboxSeccomp }
    return posture
  }

  /// Lowers a limit, for the soft and the hard one alike.
  ///
  /// - Returns: what is in force, less where it was less already; nil when it cannot be set.
  private static func lower(_ resource: __rlimit_resource, to value: Int) -> Int? {
    var inForce: UInt64 = 0
    let result = petspot_lower_limit(Int32(resource.rawValue), UInt64(value), &inForce)
    return result == 0 ? Int(clamping: inForce) : nil
  }

  private static var taskCount: Int {
    guard let directory = opendir("/proc/self/task") else { return 1 }
    defer { closedir(directory) }
    var count = -2  // `.` and `..`
    while readdir(directory) != nil { count += 1 }
    return count
  }
}
