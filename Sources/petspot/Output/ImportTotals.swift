import Foundation
import PhotoAttachments
import PhotoIngestion
import ReportFlow
import SystemPackage

extension ImportSummary {
  /// The totals for people, in the language that the command speaks.
  func sentence(_ formatter: ImportFormatter) -> String {
    let dryRun = formatter.dryRun
    let counts: [(Int, TextKey)] = [
      (imported, dryRun ? "import.count.wouldImport" : "import.count.imported"),
      (duplicates, "import.count.duplicate"), (unchanged, "import.count.unchanged"),
      (skipped, dryRun ? "import.count.wouldSkip" : "import.count.skipped"),
      (failed, dryRun ? "import.count.wouldFail" : "import.count.failed"),
    ]
    let list = counts.filter { $0.0 > 0 }.map { L10n.words($0.1, count: $0.0) }
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

  private func work(dryRun: Bool) -> String {
    let read = Amounts.size(bytesRead)
    let time = Amounts.duration(seconds)
    if dryRun { return L10n.words("import.totals.dryRun", ["read": read, "time": time]) }
    return L10n.words(
      "import.totals.work",
      ["read": read, "written": Amounts.size(bytesWritten), "time": time])
  }

  /// What became of the originals, or would; nil when they were left alone.
  private func originals(_ formatter: ImportFormatter) -> String? {
    let gone = formatter.moves && !formatter.dryRun ? movedSources : deletedSources
    guard gone + keptSources > 0 else { return nil }
    let text: TextKey =
      switch (formatter.dryRun, formatter.moves) {
      case (false, false): keptSources == 0 ? "import.totals.deleted" : "import.totals.deletedSome"
      case (false, true): keptSources == 0 ? "import.totals.moved" : "import.totals.movedSome"
      case (true, false):
        keptSources == 0 ? "import.totals.wouldDelete" : "import.totals.wouldDeleteSome"
      case (true, true):
        keptSources == 0 ? "import.totals.wouldMove" : "import.totals.wouldMoveSome"
      }
    return L10n.words(text, count: gone, ["kept": Amounts.number(keptSources)])
  }
}

/// How often something was not taken, by what kept it.
struct ImportCauses {
  private var skipped: [String: Int] = [:]
  private var failed: [String: Int] = [:]

  mutating func add(_ file: ImportedFile) {
    switch file.outcome {
    case .skipped(let refusal): skipped[refusal.cause, default: 0] += 1
    case .failed(let refusal): failed[refusal.cause, default: 0] += 1
    default: break
    }
  }

  /// A line a cause, the most frequent first, and where to see every file; empty when all was taken.
  ///
  /// - Parameter report: the file in which they stand already.
  func lines(report: FilePath?) -> [String] {
    let lines =
      Self.block(L10n.words("import.causes.skipped"), skipped)
      + Self.block(L10n.words("import.causes.failed"), failed)
    guard !lines.isEmpty else { return [] }
    let way = L10n.words("import.causes.listing")
    let there = report.map { DisplayText.path($0) }.map {
      L10n.words("import.causes.listedIn", ["place": $0])
    }
    return lines + [there ?? way]
  }

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
