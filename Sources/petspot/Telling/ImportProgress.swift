import Foundation
import PhotoAttachments
import SystemPackage

/// How far an import is, as a line for a terminal.
struct ImportProgress {
  /// How much there is to do, nil until it is known.
  var total: ImportSurvey?
  private var files = 0
  private var bytes = 0
  private var counts: [String: Int] = [:]
  private var current: FilePath?
  private let began = ContinuousClock.now

  mutating func add(_ file: ImportedFile) {
    files += 1
    bytes += file.sizeBytes
    counts[file.outcome.word, default: 0] += 1
    current = file.path
  }

  /// `[████····] 1,204/50,000 · 4.1 GB · 38/s · 12 min left · 1,200 imported, 4 failed · name`, cut
  /// to the terminal's width.
  func line(columns: Int) -> String {
    let elapsed = (ContinuousClock.now - began).components
    let seconds = max(0.001, Double(elapsed.seconds) + Double(elapsed.attoseconds) / 1e18)
    var parts: [String] = []
    if let total {
      let share = total.bytes > 0 ? min(1, Double(bytes) / Double(total.bytes)) : 0
      let filled = Int(share * 10)
      let bar = String(repeating: "█", count: filled) + String(repeating: "·", count: 10 - filled)
      parts.append("[\(bar)] \(Words.number(files))/\(Words.number(total.files))")
    } else {
      parts.append("\(Words.number(files)) files")
    }
    parts += [Words.size(bytes), "\(Words.number(Int(Double(files) / seconds)))/s"]
    if let total, bytes > 0, total.bytes > bytes {
      let left = seconds / Double(bytes) * Double(total.bytes - bytes)
      parts.append(Words.duration(left) + " left")
    }
    let told = ["imported", "duplicate", "unchanged", "skipped", "failed"].compactMap { word in
      counts[word].map { "\(Words.number($0)) \(word)" }
    }
    parts.append(told.joined(separator: ", "))
    let line = parts.joined(separator: " · ")
    let room = columns - 1 - line.count - 3
    guard room > 8, let current = current.map(DisplayText.path) else {
      return String(line.prefix(max(0, columns - 1)))
    }
    return line + " · " + (current.count > room ? "…" + current.suffix(room - 1) : current)
  }
}
