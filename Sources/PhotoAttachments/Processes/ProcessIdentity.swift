import Glibc

/// Identifies a running process by its process ID, its start time in clock ticks since boot (`/proc/PID/stat`, field
/// 22), and the boot ID. A later process with the same ID has a different identity. The system clock plays no part.
///
/// An identity is valid within one PID namespace. On file systems that support locks, `ProcessLock` is used instead.
package struct ProcessIdentity: Sendable, Hashable {
  /// The process ID.
  package var pid: Int32
  /// The start time in clock ticks since boot.
  package var startTicks: UInt64
  /// The contents of `/proc/sys/kernel/random/boot_id` without dashes.
  package var bootID: String

  package static let current = ProcessIdentity(
    pid: getpid(), startTicks: status(of: getpid()).startTicks ?? 0, bootID: currentBootID)

  /// `true` if the process still runs. A zombie counts as dead. If the state can't be determined (for example because
  /// no file descriptor is left to read `/proc`), the process counts as alive, so that its work isn't taken away.
  package var isAlive: Bool {
    let boots = [bootID, Self.currentBootID]
    guard boots[0] == boots[1] || boots.contains(Self.noBootID) else { return false }
    switch Self.status(of: pid) {
    case .gone: return false
    case .running(let since): return since == startTicks || startTicks == 0
    case .unknown: return true
    }
  }

  /// `PID-START-BOOT`, the prefix of file names in `incoming/`.
  package var signature: String { "\(pid)-\(startTicks)-\(bootID)" }

  /// Parses the identity at the start of a file name in `incoming/`. Returns `nil` if the name has none.
  init?(fileName: String) {
    let fields = fileName.split(separator: "-", omittingEmptySubsequences: false)
    guard fields.count == 4, let pid = Int32(fields[0]), let start = UInt64(fields[1]),
      fields[2] == Self.noBootID || fields[2].count == 32,
      fields[2...].joined().allSatisfy(\.isHexDigit), !fields[3].isEmpty
    else { return nil }
    self.init(pid: pid, startTicks: start, bootID: String(fields[2]))
  }

  /// Creates an identity that was read from the catalog.
  package init(pid: Int32, startTicks: UInt64, bootID: String) {
    self.pid = pid
    self.startTicks = startTicks
    self.bootID = bootID
  }

  private static let currentBootID: String = {
    let text = try? readFile("/proc/sys/kernel/random/boot_id").filter { $0.isHexDigit }
      .lowercased()
    return text.flatMap { $0.isEmpty ? nil : $0 } ?? noBootID
  }()
  /// The boot ID if the real one could not be read.
  private static let noBootID = "0"

  /// The state of a process according to `/proc`.
  private enum Status {
    case running(since: UInt64)
    case gone
    case unknown

    var startTicks: UInt64? { if case .running(let ticks) = self { ticks } else { nil } }
  }

  private static func status(of pid: Int32) -> Status {
    let text: String
    do throws(StoreError) { text = try readFile("/proc/\(pid)/stat") } catch {
      return [ENOENT, ESRCH].contains(error.systemErrno) ? .gone : .unknown
    }
    // The process name in parentheses may itself contain spaces and parentheses.
    guard let name = text.lastIndex(of: ")") else { return .unknown }
    let fields = text[text.index(after: name)...].split(separator: " ")
    guard fields.count > 19, let ticks = UInt64(fields[19]) else { return .unknown }
    return fields[0] == "Z" || fields[0] == "X" ? .gone : .running(since: ticks)
  }

  private static func readFile(_ path: String) throws(StoreError) -> String {
    let file = try SystemCalls.open(path, flags: O_RDONLY, path: path)
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = try SystemCalls.check("read", path) { Glibc.read(file, &bytes, bytes.count) }
    return String(decoding: bytes[..<count], as: UTF8.self)
  }
}
