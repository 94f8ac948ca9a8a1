import CSandbox
import Dispatch
import Foundation
import Glibc
import Synchronization

/// Starts processes from one thread that never ends. Linux kills a child that should die with its parent as soon as the
/// *thread* that started it ends.
enum ProcessSpawner {
  /// Starts an executable in its own process group. It inherits only `/dev/null` as descriptors 0 to 2, `socket` as
  /// descriptor 3, and this environment.
  ///
  /// - Parameter niceness: 0 to 19 (setpriority(2)). Processes that it starts inherit the value.
  /// - Returns: the process ID, or the reason why it could not be started.
  static func spawn(
    _ executable: String, arguments: [String], environment: [String], socket: Int32,
    niceness: Int32 = 0
  ) -> Result<pid_t, PhotoError> {
    let answer = Answer()
    let isServed = thread.add {
      let started = start(executable, arguments, environment, socket)
      if niceness > 0, case .success(let pid) = started {
        // This must happen before the process has a second thread, which would keep the old value.
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), id_t(pid), niceness)
      }
      answer.set(started)
    }
    return isServed ? answer.wait() : .failure(.shortage(errno: EAGAIN))
  }

  private static let thread = WorkerPool(threadCount: 1)

  private static func start(
    _ executable: String, _ arguments: [String], _ environment: [String], _ socket: Int32
  ) -> Result<pid_t, PhotoError> {
    var actions = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    // The socket has close-on-exec set, but its copy as descriptor 3 does not.
    posix_spawn_file_actions_adddup2(&actions, socket, 3)
    for descriptor in 0...2 as ClosedRange<Int32> {
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
    }
    _ = petspot_spawn_closing(&actions, 4)
    var none = sigset_t()
    var all = sigset_t()
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

    let argv = ([executable] + arguments).map { strdup($0) } + [nil]
    let envp = environment.map { strdup($0) } + [nil]
    defer { for text in argv + envp { free(text) } }
    var pid = pid_t()
    let result = posix_spawn(&pid, executable, &actions, &attributes, argv, envp)
    return result == 0 ? .success(pid) : .failure(PhotoError(startingDecoder: result))
  }

  private final class Answer: Sendable {
    private let value = Mutex<Result<pid_t, PhotoError>?>(nil)
    private let done = DispatchSemaphore(value: 0)

    func set(_ result: Result<pid_t, PhotoError>) {
      value.withLock { $0 = result }
      done.signal()
    }

    func wait() -> Result<pid_t, PhotoError> {
      done.wait()
      return value.withLock { $0 } ?? .failure(.fault(.decoderStart))
    }
  }
}

extension PhotoError {
  /// Maps the `errno` of a failed call to the reason why a decoder could not be started.
  init(startingDecoder code: Int32) {
    switch code {
    case EMFILE, ENFILE, EAGAIN, ENOMEM, ENOBUFS: self = .shortage(errno: code)
    default: self = .fault(.decoderStart)
    }
  }
}
