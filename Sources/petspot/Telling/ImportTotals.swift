import Foundation
import PhotoAttachments
import PhotoIngestion
import ReportFlow
import SystemPackage

extension ImportSummary {
  /// The totals for people, in the language that the command speaks.
  func sentence(_ telling: ImportTelling) -> String {
    Speech.pick(en: english(telling), pl: polish(telling))
  }

  private func english(_ telling: ImportTelling) -> String {
    let parts = [
      (imported, telling.dryRun ? "would be imported" : "imported"),
      (duplicates, duplicates == 1 ? "duplicate" : "duplicates"), (unchanged, "unchanged"),
      (skipped, telling.dryRun ? "would be skipped" : "skipped"),
      (failed, telling.dryRun ? "would fail" : "failed"),
    ]
    let counts = parts.filter { $0.0 > 0 }.map { "\(Words.number($0.0)) \($0.1)" }
    let list = counts.isEmpty ? "nothing to import" : counts.joined(separator: ", ")
    let noun = files == 1 ? "file" : "files"
    let work =
      telling.dryRun
      ? " Looked at \(Words.size(bytesRead)) in \(Words.duration(seconds)) and stored nothing."
        + (imported > 1 ? " Copies that differ in metadata alone count as new here." : "")
      : " Read \(Words.size(bytesRead)), wrote \(Words.size(bytesWritten)) in "
        + "\(Words.duration(seconds))."
    return "\(Words.number(files)) \(noun): \(list)." + work + englishSources(telling)
  }

  private func englishSources(_ telling: ImportTelling) -> String {
    let gone = telling.moves && !telling.dryRun ? movedSources : deletedSources
    guard gone + keptSources > 0 else { return "" }
    let originals = gone == 1 ? "1 original" : "\(Words.number(gone)) originals"
    let kept = Words.number(keptSources)
    if telling.dryRun {
      return " \(originals) would be \(telling.moves ? "moved" : "deleted")"
        + (keptSources > 0 ? ", \(kept) kept; each line says why." : ".")
    }
    return " \(telling.moves ? "Moved" : "Deleted") \(originals)"
      + (keptSources > 0 ? ", kept \(kept); each line says why." : ".")
  }

  /// Nouns that need no plural forms, behind what they count.
  private func polish(_ telling: ImportTelling) -> String {
    let parts = [
      (imported, telling.dryRun ? "do zaimportowania" : "zaimportowano"), (duplicates, "duplikaty"),
      (unchanged, "bez zmian"), (skipped, telling.dryRun ? "do pominięcia" : "pominięto"),
      (failed, "błędy"),
    ]
    let counts = parts.filter { $0.0 > 0 }.map { "\($0.1): \(Words.number($0.0))" }
    let list = counts.isEmpty ? "nic do zaimportowania" : counts.joined(separator: ", ")
    let gone = telling.moves && !telling.dryRun ? movedSources : deletedSources
    let verb =
      telling.dryRun
      ? (telling.moves ? "Oryginały do przeniesienia" : "Oryginały do usunięcia")
      : (telling.moves ? "Przeniesione oryginały" : "Usunięte oryginały")
    let sources =
      gone + keptSources == 0
      ? "" : " \(verb): \(Words.number(gone)), pozostawione: \(Words.number(keptSources))."
    let work =
      telling.dryRun
      ? " Przejrzano \(Words.size(bytesRead)), czas: \(Words.duration(seconds)); niczego nie zapisano."
        + (imported > 1
          ? " Kopie, które różnią się tylko metadanymi, liczą się tu jako nowe." : "")
      : " Odczytano \(Words.size(bytesRead)), zapisano \(Words.size(bytesWritten)), czas: "
        + "\(Words.duration(seconds))."
    return "Pliki: \(Words.number(files)); \(list)." + work + sources
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
      Self.block(Speech.pick(en: "Skipped:", pl: "Pominięto:"), skipped)
      + Self.block(Speech.pick(en: "Failed:", pl: "Błędy:"), failed)
    guard !lines.isEmpty else { return [] }
    let way = Speech.pick(
      en: "Every file is listed by --verbose, or in a page by --report FILE.html",
      pl: "Wszystkie pliki wymienia --verbose, a na stronie --report PLIK.html")
    let there = report.map { DisplayText.path($0) }.map {
      Speech.pick(en: "Every file is listed in \($0)", pl: "Wszystkie pliki wymienia \($0)")
    }
    return lines + [there ?? way]
  }

  private static func block(_ title: String, _ causes: [String: Int]) -> [String] {
    guard !causes.isEmpty else { return [] }
    let sorted = causes.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    return [title]
      + sorted.map { cause, count in
        let number = Words.number(count)
        return String(repeating: " ", count: max(1, 8 - number.count)) + number + "  "
          + ReadableText.escaped(cause)
      }
  }
}
