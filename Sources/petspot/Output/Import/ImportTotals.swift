import Foundation
import PhotoAttachments
import PhotoIngestion
import ReportFlow
import SystemPackage

extension ImportSummary {
  /// Returns the totals as text in the command's language.
  func sentence(_ formatter: ImportFormatter) -> String {
    let dryRun = formatter.dryRun
    let counts = [
      ("imported", imported), ("duplicate", duplicates), ("unchanged", unchanged),
      ("skipped", skipped), ("failed", failed),
    ]
    let list = counts.filter { $1 > 0 }.map { word, count in
      let name = ImportOutcome.name(of: word, dryRun: dryRun)
      return L10n.words(TextKey(rawValue: "import.count." + name), count: count)
    }
    let sentences: [String?] = [
      L10n.words(
        "import.totals.files", count: files,
        [
          "list": list.isEmpty ? L10n.words("import.count.none") : list.joined(separator: ", ")
        ]),
      work(dryRun: dryRun),
      dryRun && imported > 1 ? L10n.words("import.totals.copies") : nil,
      originals(formatter),
    ]
    return sentences.compactMap { $0 }.joined(separator: " ")
  }

  /// Returns how much was read and written, and how long that took.
  private func work(dryRun: Bool) -> String {
    let read = Amounts.size(bytesRead)
    let time = Amounts.duration(seconds)
    if dryRun { return L10n.words("import.totals.dryRun", ["read": read, "time": time]) }
    return L10n.words(
      "import.totals.work",
      ["read": read, "written": Amounts.size(bytesWritten), "time": time])
  }

  /// Returns what happened to the originals, or would happen. `nil` if they were left alone.
  private func originals(_ formatter: ImportFormatter) -> String? {
    let gone = formatter.moves && !formatter.dryRun ? movedSources : deletedSources
    guard gone + keptSources > 0 else { return nil }
    let act =
      formatter.dryRun
      ? (formatter.moves ? "wouldMove" : "wouldDelete") : (formatter.moves ? "moved" : "deleted")
    return L10n.words(
      TextKey(rawValue: "import.totals.\(act)\(keptSources == 0 ? "" : "Some")"), count: gone,
      ["kept": Amounts.number(keptSources)])
  }
}

/// Counts of files that were not imported, by cause.
struct ImportCauses {
  private var skipped: [String: Int] = [:]
  private var failed: [String: Int] = [:]
  /// Originals that stay, by the code of their reason.
  private(set) var kept: [String: Int] = [:]

  mutating func addKept(_ reason: SourceKeptReason) { kept[reason.code, default: 0] += 1 }

  mutating func add(_ file: ImportedFile) {
    switch file.outcome {
    case .skipped(let refusal): skipped[refusal.cause, default: 0] += 1
    case .failed(let refusal): failed[refusal.cause, default: 0] += 1
    default: break
    }
  }

  /// Returns one line per cause, the most frequent first, and where every file is listed. Empty if all files were
  /// imported.
  ///
  /// - Parameter report: the report that already lists the files.
  func lines(report: FilePath?) -> [String] {
    let lines =
      Self.block(L10n.words("import.causes.skipped"), skipped)
      + Self.block(L10n.words("import.causes.failed"), failed)
    let kept = Dictionary(
      uniqueKeysWithValues: kept.map { code, count in
        (L10n.words.text(named: "import.keptCause.\(code)") ?? code, count)
      })
    guard !lines.isEmpty || !kept.isEmpty else { return [] }
    let way = L10n.words("import.causes.listing")
    let there = report.map { DisplayText.path($0) }.map {
      L10n.words("import.causes.listedIn", ["place": $0])
    }
    return Self.block(L10n.words("import.causes.kept"), kept) + lines + [there ?? way]
  }

  /// Returns a title and one line per cause. Empty if nothing was counted.
  private static func block(_ title: String, _ causes: [String: Int]) -> [String] {
    guard !causes.isEmpty else { return [] }
    let sorted = causes.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    return [title]
      + sorted.map { cause, count in
        let number = Amounts.number(count)
        return String(repeating: " ", count: max(1, 8 - number.count)) + number + "  "
          + ReadableText.escaped(cause)
      }
  }
}
