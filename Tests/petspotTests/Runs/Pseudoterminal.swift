import Foundation
import Testing

/// A person at a terminal: the built program, or another one, on a real pseudo-terminal.
final class Pseudoterminal {
  private let primary: Int32
  private let process: Process
  /// All output of the program so far.
  private(set) var screen = ""
  /// The start of the output after the last match of `expect`.
  private var seen: String.Index
  private var partial: [UInt8] = []

  init(
    _ arguments: [String], of program: URL = Program.executable, cache: URL, columns: Int = 100,
    environment: [String: String] = [:]
  ) throws {
    var (primary, secondary): (Int32, Int32) = (-1, -1)
    var size = winsize(
      ws_row: 30, ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    try #require(openpty(&primary, &secondary, nil, nil, &size) == 0)
    // Programs of other tests must not keep this terminal open.
    for end in [primary, secondary] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let terminal = FileHandle(fileDescriptor: secondary, closeOnDealloc: false)
    process = Process()
    process.executableURL = program
    process.arguments = arguments
    process.environment = [
      "PETSPOT_CACHE": cache.path, "PATH": "/usr/bin:/bin", "TZ": "UTC", "TERM": "xterm-256color",
      "LINES": "30", "COLUMNS": String(columns),
    ].merging(environment) { $1 }
    (process.standardInput, process.standardOutput) = (terminal, terminal)
    process.standardError = terminal
    try process.run()
    // The end of input is visible only if no copy of the other end stays open.
    try terminal.close()
    self.primary = primary
    seen = screen.startIndex
  }

  deinit {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    // Comes first because a shell in a session of its own outlives the process, and ends when its terminal does.
    close(primary)
    process.waitUntilExit()
  }

  /// Types a line and presses Enter.
  func type(_ line: String) { send(line + "\n") }

  /// The modes with which the terminal processes input.
  var modes: [UInt32] {
    var modes = termios()
    tcgetattr(primary, &modes)
    return [modes.c_iflag, modes.c_oflag, modes.c_lflag]
  }

  /// Sends Ctrl-Z as the shell's terminal does, waits until the program has stopped, and reads its output.
  func suspend() {
    kill(process.processIdentifier, SIGTSTP)
    awaitStop()
    var waiting = pollfd(fd: primary, events: Int16(POLLIN), revents: 0)
    while poll(&waiting, 1, 100) > 0, readMore() {}
  }

  /// Waits until the program has stopped. If it were continued earlier, it would stop for good.
  func awaitStop() {
    let path = "/proc/\(process.processIdentifier)/stat"
    for _ in 0..<500 {
      let state = (try? String(contentsOfFile: path, encoding: .utf8))?
        .split(separator: ")").last?.split(separator: " ").first
      if state == "T" { break }
      usleep(20_000)
    }
  }

  /// Continues a suspended program.
  func resume() { kill(process.processIdentifier, SIGCONT) }

  /// Sends keys as a terminal encodes them.
  func send(_ keys: String) {
    let bytes = Array(keys.utf8)
    _ = bytes.withUnsafeBytes { write(primary, $0.baseAddress, $0.count) }
  }

  /// Reads until `text` appears after the previous match. Fails if the program ends or is silent for a minute before
  /// that.
  func expect(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    while true {
      if let range = screen[seen...].range(of: text) {
        seen = range.upperBound
        return
      }
      if !readMore() {
        Issue.record("no \(text) in: \(screen.suffix(2000))", sourceLocation: sourceLocation)
        throw Silence()
      }
    }
  }

  /// Reads until one of two texts appears, without moving past it.
  func expect(_ text: String, or other: String) throws {
    while !screen[seen...].contains(text), !screen[seen...].contains(other) {
      guard readMore() else { throw Silence() }
    }
  }

  struct Silence: Error {}

  /// Sends Ctrl-C as the shell's terminal does.
  func interrupt() { kill(process.processIdentifier, SIGINT) }

  /// Kills the program, which is like a power cut.
  func killHard() {
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// Returns the exit code after the program has ended by itself.
  func exitCode() -> Int32 {
    while readMore() {}
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// Ends the input, as Ctrl-D does.
  func endInput() {
    var end: UInt8 = 4
    _ = write(primary, &end, 1)
  }

  private func readMore() -> Bool {
    var waiting = pollfd(fd: primary, events: Int16(POLLIN), revents: 0)
    guard poll(&waiting, 1, 60_000) > 0 else { return false }
    var buffer = [UInt8](repeating: 0, count: 4096)
    // The error EIO means that every copy of the other end is closed.
    let count = read(primary, &buffer, buffer.count)
    guard count > 0 else { return false }
    partial += buffer.prefix(count)
    // A character may arrive in two pieces.
    let whole = partial.lastIndex { $0 & 0xC0 != 0x80 } ?? 0
    let cut = partial[whole] < 0x80 ? partial.count : whole
    let offset = screen.utf8.distance(from: screen.startIndex, to: seen)
    screen += String(decoding: partial[..<cut], as: UTF8.self)
    partial.removeFirst(cut)
    seen = screen.utf8.index(screen.startIndex, offsetBy: offset)
    return true
  }
}
