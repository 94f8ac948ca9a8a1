import CSandbox
import Glibc

/// The confinement of a decoder process.
package struct SandboxPosture: Codable, Sendable, Equatable {
  /// The version of Landlock in force. 0 for none.
  package var landlock: Int
  /// `true` if system calls are filtered.
  package var seccomp: Bool
  /// The reason why the sandbox is incomplete. `nil` if it is complete.
  package var problem: PhotoError.Fault?
  /// The address space limit in force in bytes. 0 before there is a sandbox.
  var memoryBytes = 0
}

/// The sandbox of a worker. Its restrictions cannot be lifted.
enum Sandbox {
  /// Ends this process when the thread that started it ends. If the other end of the socket (descriptor 3) is already
  /// closed, ends it at once, because the parent died before this call.
  static func dieWithParent() {
    _ = petspot_die_with_parent()
    if DecoderSocket(descriptor: 3).isAlone { _exit(0) }
  }

  /// Makes the kernel choose this process and those it splits off when memory runs out (proc_pid_oom_score_adj(5)). The
  /// host can decode the photo again, but nothing could replace the host.
  static func dieBeforeOthers() {
    let file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC)
    guard file >= 0 else { return }
    write(file, "1000", 4)
    close(file)
  }

  /// Removes access to files, network, processes and privileges, and limits the remaining resources. The libraries must
  /// already be loaded, and this must be the only thread.
  ///
  /// No rlimit is set for processes, because it would count all processes of the user. The filter allows no new
  /// process, and the address space limits the number of threads.
  ///
  /// - Parameter filtersCalls: `false` disables the filter of system calls, so that tests can check the remaining
  ///   protection.
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
    // Decoding one HEIC starts about a hundred threads.
    guard petspot_set_thread_stack(1 << 20) == 0, petspot_no_new_privileges() == 0 else {
      posture.problem = .sandboxLimits
      return posture
    }
    let version = petspot_landlock_version()
    if version > 0, petspot_landlock_deny_all() == 0 { posture.landlock = Int(version) }
    // Descriptors 0 to 3 are open, and no more may be opened from here on. Landlock needed one.
    if lower(RLIMIT_NOFILE, to: 4) == nil { posture.problem = .sandboxLimits }
    posture.seccomp = filtersCalls && petspot_seccomp_start() == 0
    if posture.landlock == 0 { posture.problem = .sandboxLandlock }
    if !posture.seccomp { posture.problem = .sandboxSeccomp }
    return posture
  }

  /// Lowers both the soft and the hard limit.
  ///
  /// - Returns: the limit in force, which is lower if it was already lower. `nil` if it cannot be set.
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
