import Foundation
import PhotoAttachments
import ReportFlow
import SystemPackage
import PhotoIngestion

extension ImportedFile {
  /// The contract's line for one input.
  var json: JSON {
    let common: JSON = [
      "event": "file", "path": .string(DisplayText.verbatim(path)),
      "outcome": .string(outcome.word), "fileSizeBytes": .int(sizeBytes),
    ]
    let more: JSON =
      switch outcome {
      case .imported(let photo):
        common.adding(["id": .string(photo.id.uuidString), "photo": photo.json])
      case .duplicate(let id, let tier):
        common.adding([
          "duplicateOf": .string(id.uuidString), "tier": .string(tier.rawValue),
        ])
      case .unchanged(let id): common.adding(["id": .string(id.uuidString)])
      case .skipped(let refusal), .failed(let refusal):
        common.adding([
          "code": .string(refusal.code), "detected": .optional(refusal.detected),
          "message": .string(refusal.sentence(about: path)),
        ]).adding(facts: refusal.facts)
      }
    if sourceDeleted { return more.adding(["sourceDeleted": true]) }
    guard let sourceKept else { return more }
    return more.adding(["sourceDeleted": false, "sourceKept": sourceKept.json])
  }
}

extension ImportOutcome {
  /// The contract's word.
  var word: String {
    switch self {
    case .imported: "imported"
    case .duplicate: "duplicate"
    case .unchanged: "unchanged"
    case .skipped: "skipped"
    case .failed: "failed"
    }
  }

  /// Why it was not taken, nil when it was.
  var refusal: ImportRefusal? {
    switch self {
    case .skipped(let refusal), .failed(let refusal): refusal
    default: nil
    }
  }
}

extension ImportSummary {
  /// The contract's last line.
  var json: JSON {
    [
      "event": "summary", "files": .int(files), "imported": .int(imported),
      "duplicates": .int(duplicates), "unchanged": .int(unchanged), "skipped": .int(skipped),
      "failed": .int(failed), "bytesRead": .int(bytesRead), "bytesWritten": .int(bytesWritten),
      "deletedSources": .int(deletedSources), "keptSources": .int(keptSources),
      "seconds": .double((seconds * 1000).rounded() / 1000),
      "stopped": .optional(stopped?.rawValue), "stages": stages.json,
    ]
  }

  /// The totals for people, in the language that the command speaks.
  var sentence: String { Speech.words.pick(en: englishSentence, pl: polishSentence) }

  /// Nouns that need no plural forms, behind what they count.
  private var polishSentence: String {
    let words = Speech.words
    let parts = [
      (imported, "zaimportowano"), (duplicates, "duplikaty"), (unchanged, "bez zmian"),
      (skipped, "pominięto"), (failed, "błędy"),
    ]
    let told = parts.filter { $0.0 > 0 }.map { "\($0.1): \($0.0)" }
    let list = told.isEmpty ? "nic do zaimportowania" : told.joined(separator: ", ")
    let sources =
      deletedSources + keptSources == 0
      ? "" : " Usunięte oryginały: \(deletedSources), pozostawione: \(keptSources)."
    return "Pliki: \(files); \(list). Odczytano \(words.fileSize(bytesRead)), zapisano "
      + "\(words.fileSize(bytesWritten)), czas: "
      + Words.duration(seconds).replacing(".", with: words(.numberDecimalSign)) + "." + sources
  }

  private var englishSentence: String {
    let parts = [
      (imported, "imported"), (duplicates, duplicates == 1 ? "duplicate" : "duplicates"),
      (unchanged, "unchanged"), (skipped, "skipped"), (failed, "failed"),
    ]
    let told = parts.filter { $0.0 > 0 }.map { "\(Words.number($0.0)) \($0.1)" }
    let list = told.isEmpty ? "nothing to import" : told.joined(separator: ", ")
    let noun = files == 1 ? "file" : "files"
    return "\(Words.number(files)) \(noun): \(list). Read \(Words.size(bytesRead)), wrote "
      + "\(Words.size(bytesWritten)) in \(Words.duration(seconds))." + (sourcesSentence ?? "")
  }
}

extension ImportSummary {
  /// What became of the originals, nil when none was to be deleted.
  private var sourcesSentence: String? {
    guard deletedSources + keptSources > 0 else { return nil }
    let deleted = deletedSources == 1 ? "1 original" : "\(Words.number(deletedSources)) originals"
    guard keptSources > 0 else { return " Deleted \(deleted)." }
    return " Deleted \(deleted), kept \(Words.number(keptSources)); each line says why."
  }
}

extension StageTimes {
  private static let told = PhotoStage.allCases.filter { $0 != .start }

  /// Seconds of each stage, in the order of the line.
  var json: JSON {
    .object(
      Self.told.map {
        JSON.Member(key: $0.rawValue, value: .double((self[$0] * 1000).rounded() / 1000))
      })
  }

  /// Where the time went, for people.
  var sentence: String {
    "Time of all threads: "
      + Self.told.map { "\($0.rawValue) \(Words.duration(self[$0]))" }.joined(separator: ", ")
      + "."
  }
}

extension Words {
  /// `0.4 s`, `12 s`, `3 min 20 s`, `2 h 5 min`.
  static func duration(_ seconds: Double) -> String {
    if seconds < 10 { return "\((seconds * 10).rounded() / 10) s" }
    let whole = Int(min(seconds, 1e9))
    if whole < 60 { return "\(whole) s" }
    if whole < 3600 { return "\(whole / 60) min \(whole % 60) s" }
    return "\(whole / 3600) h \(whole % 3600 / 60) min"
  }
}

extension JSON {
  fileprivate func adding(facts: [Member]) -> JSON {
    guard case .object(let own) = self else { return self }
    return .object(own + facts)
  }
}

extension ImportRefusal {
  /// The facts of a photo's error that the line does not tell anyway.
  fileprivate var facts: [JSON.Member] {
    guard case .photo(let error) = self else { return [] }
    return StoreError(error).facts.filter { $0.key != "detected" }
  }

  /// Why an input was not taken, in one English line.
  func sentence(about path: FilePath) -> String {
    let file = DisplayText.path(path)
    return switch self {
    case .photo(let error): error.sentence(about: path)
    case .notAFile(kind: "symlink"):
      "\(file) is a symbolic link. Follow links with --follow-symlinks."
    case .notAFile(let kind): "\(file) is a \(kind), not a photo."
    case .hidden: "\(file) is hidden. Take hidden files with --hidden."
    case .systemFile(let kind): "\(file) was left by the system (\(kind)) and is no photo."
    case .outside:
      "\(file) leads out of the given folders. Follow it with --follow-outside."
    case .linkLoop: "\(file) leads to a folder that is visited anyway, or to nothing."
    case .changing: "\(file) is still being written. Import again when it is complete."
    case .insideCache:
      "\(file) belongs to a photo cache, and nothing in a cache is a photo to import. Copy photos "
        + "out of it with: petspot export"
    }
  }
}
