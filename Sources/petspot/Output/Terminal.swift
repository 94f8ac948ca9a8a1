import Foundation

/// The capabilities of a terminal or other output.
struct Terminal: Equatable {
  enum Colors: Equatable {
    /// No colors.
    case none
    /// The palette of 256 colors.
    case indexed
    /// 24-bit colors.
    case full
  }

  var colors: Colors
  /// The number of character cells per row.
  var columns: Int
  /// The number of rows.
  var rows: Int

  /// Derives the capabilities from the environment. Without a terminal, there are no colors.
  init(isTerminal: Bool, environment: [String: String], window: (columns: Int, rows: Int)?) {
    func number(_ key: String) -> Int? {
      environment[key].flatMap { Int($0) }.flatMap { (1...10_000).contains($0) ? $0 : nil }
    }
    columns = number("COLUMNS") ?? window?.columns ?? 80
    rows = number("LINES") ?? window?.rows ?? 24
    // https://no-color.org: the variable counts only if it is not empty.
    let refused = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
    if !isTerminal || refused || environment["TERM"] == "dumb" {
      colors = .none
    } else {
      colors = ["truecolor", "24bit"].contains(environment["COLORTERM"]) ? .full : .indexed
    }
  }

  /// `true` if a person can answer a question that is separate from the output.
  static var isInteractive: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

  static func standardOutput() -> Terminal { Terminal(of: STDOUT_FILENO) }

  /// Returns the current state of standard error, where progress is shown.
  static func standardError() -> Terminal { Terminal(of: STDERR_FILENO) }

  init(of descriptor: Int32) {
    // ioctl_tty(2): rows, columns, and both in pixels. `winsize` isn't used, because the module that owns the type
    // depends on the order in which files are compiled.
    var size: [UInt16] = [0, 0, 0, 0]
    let isKnown = ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size[1] > 0
    self.init(
      isTerminal: isatty(descriptor) == 1, environment: ProcessInfo.processInfo.environment,
      window: isKnown ? (Int(size[1]), Int(size[0])) : nil)
  }

  /// Returns the text in bold if colors are supported.
  func bold(_ text: String) -> String { colors == .none ? text : "\u{1B}[1m\(text)\u{1B}[0m" }
  /// Returns the text dimmed if colors are supported.
  func dim(_ text: String) -> String { colors == .none ? text : "\u{1B}[2m\(text)\u{1B}[0m" }
}
