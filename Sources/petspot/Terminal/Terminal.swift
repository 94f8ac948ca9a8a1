import Foundation

/// What standard output can show.
struct Terminal: Equatable {
  enum Colors: Equatable {
    /// Not at all.
    case none
    /// The palette of 256.
    case indexed
    /// 24 bits.
    case full
  }

  var colors: Colors
  /// Character cells across.
  var columns: Int
  /// Character cells down.
  var rows: Int

  /// What a terminal can show by its environment; without a terminal there are no colors.
  init(isTerminal: Bool, environment: [String: String], window: (columns: Int, rows: Int)?) {
    func number(_ key: String) -> Int? {
      environment[key].flatMap { Int($0) }.flatMap { (1...10_000).contains($0) ? $0 : nil }
    }
    columns = number("COLUMNS") ?? window?.columns ?? 80
    rows = number("LINES") ?? window?.rows ?? 24
    // https://no-color.org: set and not empty.
    let refused = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
    if !isTerminal || refused || environment["TERM"] == "dumb" {
      colors = .none
    } else {
      colors = ["truecolor", "24bit"].contains(environment["COLORTERM"]) ? .full : .indexed
    }
  }

  /// Whether a person can be asked something beside what is printed.
  static var isInteractive: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

  static func standardOutput() -> Terminal { Terminal(of: STDOUT_FILENO) }

  /// Standard error as it is now, for progress.
  static func standardError() -> Terminal { Terminal(of: STDERR_FILENO) }

  init(of descriptor: Int32) {
    // ioctl_tty(2): rows, columns, and both in pixels. Not as `winsize`: which module owns that type
    // depends on the order in which files are compiled.
    var size: [UInt16] = [0, 0, 0, 0]
    let isKnown = ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size[1] > 0
    self.init(
      isTerminal: isatty(descriptor) == 1, environment: ProcessInfo.processInfo.environment,
      window: isKnown ? (Int(size[1]), Int(size[0])) : nil)
  }

  /// The text in bold where colors are shown.
  func bold(_ text: String) -> String { colors == .none ? text : "\u{1B}[1m\(text)\u{1B}[0m" }
  /// The text dimmed where colors are shown.
  func dim(_ text: String) -> String { colors == .none ? text : "\u{1B}[2m\(text)\u{1B}[0m" }
}
