import CSandbox
import Glibc
import Synchronization

/// A process that has loaded the decoders' libraries and splits off workers, which have them at once:
/// to load them takes longer than to decode a small photo. No photo ever comes to it, so what a
/// photo does to a worker ends with that worker. Each worker is a child of this process and enters a
/// sandbox of its own; all have their code at the same addresses.
final class DecoderTemplate: Sendable {
  private let process: DecoderProcess
  /// One asks at a time.
  private let turn = Mutex(())

  /// Starts one, which loads its libraries while we do something else.
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

  /// Splits off a worker that serves the other end of this socket, in a process group of its own.
  ///
  /// - Returns: its process identifier; nil when there is none, and none is to be had here.
  func split(socket: Int32) -> pid_t? {
    turn.withLock { _ in
      guard let pid = process.splitOff(socket: socket) else { return nil }
      // It does so too; who comes first makes that its group can be ended from now on.
      setpgid(pid, pid)
      return pid
    }
  }

  /// Splits off a worker for each socket that comes through descriptor 3, and returns in each, with
  /// that socket as its descriptor 3. This process ends when the other end closes.
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
