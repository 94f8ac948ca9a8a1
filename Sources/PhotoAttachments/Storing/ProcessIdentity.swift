import Foundation
import Glibc

/// Names a running process so that it cannot be mistaken for a later one: process id, start time in
/// clock ticks since boot (`/proc/PID/stat`, field 22) and the boot's id. Clocks play no part.
///
/// Whoever leaves something unfinished behind (a file in `incoming/`, an attachment that is loading)
/// signs it with this; abandoned work is told from live work by `isAlive`.
struct ProcessIdentity: Sendable, Hashable {
  /// Process id.
  var pid: Int32
  /// Start time in clock ticks since boot.
  var startTicks: UInt64
  /// `/proc/sys/kernel/random/boot_id`, without dashes.
  var bootID: String

  /// This process.
  static let current = ProcessIdentity(
    pid: getpid(), startTicks: runningSince(getpid()) ?? 0, bootID: currentBootID)

  /// Whether that process still runs. A zombie does not.
  var isAlive: Bool {
    bootID == Self.currentBootID && Self.runningSince(pid) == startTicks
  }

  /// `PID-START-BOOT`, a file name's beginning.
  var signature: String { "\(pid)-\(startTicks)-\(bootID)" }

  /// The identity at the beginning of a name in `incoming/`, nil when there is none.
  init?(fileName: String) {
    let fields = fileName.split(separator: "-", omittingEmptySubsequences: false)
    guard fields.count == 4, let pid = Int32(fields[0]), let start = UInt64(fields[1]),
      !fields[2].isEmpty
    else { return nil }
    self.init(pid: pid, startTicks: start, bootID: String(fields[2]))
  }

  /// An identity read from the catalog.
  init(pid: Int32, startTicks: UInt64, bootID: String) {
    (self.pid, self.startTicks, self.bootID) = (pid, startTicks, bootID)
  }

  private static let currentBootID: String = {
    let text = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
    return (text ?? "none").filter { $0.isHexDigit }.lowercased()
  }()

  /// Start time of a process that runs, nil when there is none or it is a zombie.
  private static func runningSince(_ pid: Int32) -> UInt64? {
    guard let text = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8),
      let name = text.lastIndex(of: ")")  // the name may itself hold spaces and parentheses
    else { return nil }
    let fields = text[text.index(after: name)...].split(separator: " ")
    guard fields.count > 19, fields[0] != "Z", fields[0] != "X" else { return nil }
    return UInt64(fields[19])
  }
}
