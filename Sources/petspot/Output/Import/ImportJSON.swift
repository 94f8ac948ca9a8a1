import Foundation
import PhotoAttachments
import ReportFlow
import SystemPackage
import PhotoIngestion

extension ImportedFile {
  /// Returns the documented line for one input. In a dry run, it has `dryRun` and omits ids, because they exist only in
  /// that run. A duplicate of a photo that would be imported names that photo's file in `duplicateOfPath`.
  func json(_ formatter: ImportFormatter) -> JSON {
    let file: JSON = [
      "event": "file", "path": DisplayText.verbatim(path), "outcome": outcome.word,
      "fileSizeBytes": sizeBytes,
    ]
    let common = formatter.dryRun ? file.adding(["dryRun": true]) : file
    let more: JSON =
      switch outcome {
      case .imported where formatter.dryRun: common
      case .imported(let photo): common.adding(["id": photo.id, "photo": photo.json])
      case .duplicate(let id, let tier):
        common.adding([
          "duplicateOf": formatter.id(id),
          "duplicateOfPath": formatter.original(of: id).map(DisplayText.verbatim),
          "tier": tier.rawValue,
        ])
      case .unchanged(let id): common.adding(["id": id])
      case .skipped(let refusal), .failed(let refusal):
        common.adding([
          "code": refusal.code, "detected": refusal.detected,
          "message": refusal.sentence(about: path),
        ]).adding(refusal.facts)
      }
    if let sourceMovedTo {
      return more.adding(["sourceMovedTo": DisplayText.verbatim(sourceMovedTo)])
    }
    if sourceDeleted {
      let key = formatter.moves ? "sourceWouldBeMoved" : "sourceWouldBeDeleted"
      return more.adding(formatter.dryRun ? [key: true] : ["sourceDeleted": true])
    }
    guard let sourceKept else { return more }
    return more.adding(["sourceDeleted": false, "sourceKept": sourceKept.json])
  }
}

extension ImportOutcome {
  /// The documented word for the outcome.
  var word: String {
    switch self {
    case .imported: "imported"
    case .duplicate: "duplicate"
    case .unchanged: "unchanged"
    case .skipped: "skipped"
    case .failed: "failed"
    }
  }

  /// Returns the key of texts about the outcome.
  func name(dryRun: Bool) -> String { Self.name(of: word, dryRun: dryRun) }

  /// Returns the key of texts about an outcome with this word.
  static func name(of word: String, dryRun: Bool) -> String {
    let would = ["imported": "wouldImport", "skipped": "wouldSkip", "failed": "wouldFail"]
    return dryRun ? would[word] ?? word : word
  }

  var refusal: ImportRefusal? {
    switch self {
    case .skipped(let refusal), .failed(let refusal): refusal
    default: nil
    }
  }
}

extension ImportSummary {
  /// Returns the documented last line. In a dry run, `deletedSources` and `movedSources` count originals that would be
  /// removed.
  func json(_ formatter: ImportFormatter) -> JSON {
    let wouldMove = formatter.dryRun && formatter.moves
    return [
      "event": "summary", "files": files, "imported": imported, "duplicates": duplicates,
      "unchanged": unchanged, "skipped": skipped, "failed": failed, "bytesRead": bytesRead,
      "bytesWritten": bytesWritten, "deletedSources": wouldMove ? 0 : deletedSources,
      "movedSources": wouldMove ? deletedSources : movedSources, "keptSources": keptSources,
      "dryRun": formatter.dryRun, "seconds": seconds.milliseconds, "run": run,
      "stopped": stopped?.rawValue, "stages": stages.json,
    ]
  }
}

extension StageTimes {
  private static let shown = PhotoStage.allCases.filter { $0 != .start }

  /// The seconds of each stage, in the order of the stages.
  var json: JSON {
    .object(
      Self.shown.map { JSON.Member($0.rawValue, self[$0].milliseconds) })
  }

  /// The time per stage as text.
  var sentence: String {
    L10n.words("import.threadTimes")
      + Self.shown.map { "\($0.rawValue) \(Amounts.duration(self[$0]))" }.joined(separator: ", ")
      + "."
  }
}

extension Amounts {
  /// Returns a duration: `0.4 s`, `12 s`, `3 min 20 s`, `2 h 5 min`. The decimal sign is a comma in Polish.
  static func duration(_ seconds: Double) -> String {
    if seconds < 10 {
      let text = "\((seconds * 10).rounded() / 10) s"
      return text.replacing(".", with: L10n.words("number.decimalSign"))
    }
    let whole = Int(min(seconds, 1e9))
    if whole < 60 { return "\(whole) s" }
    if whole < 3600 { return "\(whole / 60) min \(whole % 60) s" }
    return "\(whole / 3600) h \(whole % 3600 / 60) min"
  }
}

extension ImportRefusal {
  /// The facts of a photo's error that the line doesn't already contain.
  fileprivate var facts: [JSON.Member] {
    guard case .photo(let error) = self else { return [] }
    return error.facts.members.filter { $0.key != "detected" }
  }
}
