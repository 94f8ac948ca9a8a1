import Foundation
import Glibc
package import PhotoAttachments
import Testing

/// Starts a command found on the path; returns `nil` if it can't be started. (Foundation's `Process` can hang if
/// another thread than the one that started it waits for it.)
private func spawn(_ command: [String]) -> pid_t? {
  let arguments = command.map { strdup($0) } + [nil]
  defer { for argument in arguments { free(argument) } }
  var pid = pid_t()
  return posix_spawnp(&pid, command[0], nil, nil, arguments, environ) == 0 ? pid : nil
}

/// A process that runs until it is ended, to be the owner of something.
package final class OtherProcess {
  package let identity: ProcessIdentity
  private var isRunning = true

  package init() throws {
    let pid = try #require(spawn(["sleep", "600"]))
    let stat = try String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
    let fields = stat.split(separator: ")").last!.split(separator: " ")
    identity = ProcessIdentity(
      pid: pid, startTicks: UInt64(fields[19])!, bootID: ProcessIdentity.current.bootID)
  }

  package func end() {
    guard isRunning else { return }
    isRunning = false
    kill(identity.pid, SIGKILL)
    var status: Int32 = 0
    waitpid(identity.pid, &status, 0)
  }

  deinit { end() }
}

/// A small file system of its own; `nil` if this machine doesn't allow mounting one.
package final class SmallDisk {
  package let path: String

  package init?(type: String = "tmpfs", options: String = "rw") {
    path = FileManager.default.temporaryDirectory.path + "/petspot-disk-\(UUID().uuidString)"
    mkdir(path, 0o700)
    guard Self.run("mount", "-t", type, "-o", options, type, path) else {
      rmdir(path)
      return nil
    }
  }

  package func remount(_ options: String) {
    _ = Self.run("mount", "-o", "remount," + options, path)
  }

  deinit {
    _ = Self.run("umount", "-l", path)
    rmdir(path)
  }

  /// `true` if this machine allows mounting.
  package static let isPossible = geteuid() == 0 && SmallDisk(options: "size=64k") != nil

  private static func run(_ command: String...) -> Bool {
    var status: Int32 = -1
    guard let pid = spawn(command), waitpid(pid, &status, 0) == pid else { return false }
    return status == 0
  }
}
