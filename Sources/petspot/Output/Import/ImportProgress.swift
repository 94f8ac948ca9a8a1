import Foundation
import PhotoAttachments
import ReportFlow
import SystemPackage

/// The progress of an import or an inspection as a line for a terminal.
struct ImportProgress {
  /// Returns `true` if standard error is a terminal that can redraw a line.
  static func isShown(quiet: Bool) -> Bool {
    !quiet && isatty(STDERR_FILENO) == 1 && getenv("TERM").map { strcmp($0, "dumb") } != 0
  }

  /// Redraws the line on a separate thread, because files arrive in groups and the time and window size change in
  /// between.
  ///
  /// - Parameter draw: receives the number of columns and a function that shows a line. Returns `false` to end.
  static func redraw(_ draw: @escaping @Sendable (_ columns: Int, (String) -> Void) -> Bool) {
    Thread.detachNewThread {
      while draw(
        Terminal.standardError().columns,
        {
          // Turn off wrapping while drawing, because some characters are two cells wide.
          Output.raw("\r\u{1B}[K\u{1B}[?7l" + $0 + "\u{1B}[?7h")
        })
      {
        Thread.sleep(forTimeInterval: 0.1)
      }
    }
  }

  /// The total amount of work. `nil` until it is known.
  var total: ImportSurvey?
  private let dryRun: Bool
  private var files = 0
  private var bytes = 0
  private var counts: [String: Int] = [:]
  private var current: FilePath?
  private let began: ContinuousClock.Instant
  private var timeLeft = TimeLeft()

  init(dryRun: Bool = false, began: ContinuousClock.Instant = .now) {
    self.dryRun = dryRun
    self.began = began
  }

  mutating func add(_ file: ImportedFile) {
    let name = file.outcome.name(dryRun: dryRun)
    add(file.path, bytes: file.sizeBytes, as: TextKey(rawValue: "import.count.\(name)"))
  }

  /// Adds a file that is counted by a text.
  mutating func add(_ path: FilePath, bytes size: Int, as count: TextKey) {
    files += 1
    bytes += size
    counts[count.rawValue, default: 0] += 1
    current = path
  }

  /// Returns a line such as `[████······] 1,204/50,000 · 12 min left · 1,200 imported, 4 failed · 4.1 GB · name`. Parts
  /// that don't fit the terminal are left out. The line is never wrapped.
  mutating func line(columns: Int, now: ContinuousClock.Instant = .now) -> String {
    var parts: [String] = []
    if let total {
      let share = total.bytes > 0 ? min(1, Double(bytes) / Double(total.bytes)) : 0
      let filled = Int(share * 10)
      let bar = String(repeating: "█", count: filled) + String(repeating: "·", count: 10 - filled)
      parts.append("[\(bar)] \(Amounts.number(files))/\(Amounts.number(total.files))")
      // Opening, looking up and printing a file costs about as much as 100,000 of its bytes.
      let done = Double(bytes) + Double(files) * 1e5
      let all = Double(total.bytes) + Double(total.files) * 1e5
      let seconds = (now - began) / .seconds(1)
      if let left = timeLeft.shown(done: done, of: all, at: seconds) { parts.append(left) }
    } else {
      parts.append(L10n.words("count.files", count: files))
    }
    let shares = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      .map { L10n.words(TextKey(rawValue: $0.key), count: $0.value) }
    if !shares.isEmpty { parts.append(shares.joined(separator: ", ")) }
    parts.append(Amounts.size(bytes))
    var line = parts.removeFirst()
    for part in parts where TextCells.width(of: line + part) + 3 < columns { line += " · " + part }
    let room = columns - 1 - TextCells.width(of: line) - 3
    guard room > 8, let current = current.map(DisplayText.path) else {
      return TextCells.shortened(line, to: max(1, columns - 1))
    }
    return line + " · " + TextCells.shortened(fromEndOf: current, to: room)
  }
}

/// An estimate of the remaining time that stays steady enough to be credible. It uses the pace of the last 30 seconds,
/// is rounded to its accuracy, and changes at most every two seconds.
struct TimeLeft {
  private var samples: [(seconds: Double, done: Double)] = []
  private var current: (text: String, seconds: Double)?

  /// Returns the text to show now, or `nil` until an estimate is possible.
  mutating func shown(done: Double, of all: Double, at seconds: Double) -> String? {
    if let last = samples.last, seconds - last.seconds < 0.5 { return current?.text }
    samples.append((seconds, done))
    while samples.count > 2, seconds - samples[1].seconds > 30 { samples.removeFirst() }
    guard seconds >= 3, let first = samples.first, done > first.done, all > done else {
      return current?.text
    }
    if let current, seconds - current.seconds < 2 { return current.text }
    let left = (all - done) * (seconds - first.seconds) / (done - first.done)
    let text = Self.rounded(left)
    current = (text, seconds)
    return text
  }

  /// Returns a text such as `about 20 s left`, `about 4 min left` or `about 2 h left`.
  static func rounded(_ seconds: Double) -> String {
    let amount =
      switch seconds {
      case ..<55: "\(max(10, Int((seconds / 10).rounded(.up)) * 10)) s"
      case ..<3570: "\(max(1, Int((seconds / 60).rounded()))) min"
      default: "\(Int((min(seconds, 1e9) / 3600).rounded())) h"
      }
    return L10n.words("import.timeLeft", ["amount": amount])
  }
}
