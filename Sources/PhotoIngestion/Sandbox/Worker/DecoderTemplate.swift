import CSandbox
import Glibc
import Synchronization

/// A process that has loaded the decoder libraries and splits off (clones) workers, which then have them at once.
/// Loading them takes longer than decoding a small photo. The template never receives a photo, so the effects of a
/// photo end with its worker. Each worker is a child of the host, not of the template, and enters its own sandbox. All
/// workers have their code at the same addresses.
final class DecoderTemplate: Sendable {
  private let process: DecoderProcess
  /// Lets one caller at a time split off a worker.
  private let turn = Mutex(())

  /// Starts a template, which loads its libraries while the caller continues.
  init(
    _ executable: String, arguments: [String], environment: [String], niceness: Int32
  ) throws(PhotoError) {
    process = try DecoderProcess { socket in
      ProcessSpawner.spawn(
        executable, arguments: arguments, environment: environment, socket: socket,
        niceness: niceness)
    }
  }

  var pid: pid_t { process.pid }

  /// Splits off a worker, in its own process group, that serves the other end of this socket.
  ///
  /// - Returns: the process ID of the worker. `nil` if no worker could be split off.
  func split(socket: Int32) -> pid_t? {
    turn.withLock { _ in
      guard let pid = process.splitOff(socket: socket) else { return nil }
      // The worker also does this. Whichever comes first, its group can be killed from now on.
      setpgid(pid, pid)
      return pid
    }
  }

  /// Runs in the template process. Splits off a worker for each socket that arrives through descriptor 3, and returns
  /// in each worker with that socket as descriptor 3. The template ends when the other end closes.
  static func splitOff() {
    while true {
      var socket: Int32 = -1
      guard petspot_receive_descriptor(3, &socket) == 0 else { _exit(0) }
      var pid = petspot_split()
      if pid == 0 {
        guard dup2(socket, 3) == 3, close(socket) == 0 else { _exit(70) }
        setpgid(0, 0)
        return
      }
      close(socket)
      guard send(3, &pid, MemoryLayout.size(ofValue: pid), Int32(MSG_NOSIGNAL)) > 0 else {
        _exit(0)
      }
    }
  }
}
