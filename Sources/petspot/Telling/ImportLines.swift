import Foundation
import PhotoAttachments
import PhotoIngestion
import ReportFlow
import SystemPackage

/// What is printed about an import's files.
struct ImportTelling {
  var dryRun = false
  /// Whether originals are moved, or else deleted.
  var moves = false
  /// Finds the file that a photo of the library was made from.
  let cache: PhotoAttachmentCache
  /// Of a dry run: photos that there would be, whose ids exist only in this run.
  private var rehearsed: [UUID: FilePath] = [:]

  init(cache: PhotoAttachmentCache, dryRun: Bool, moves: Bool) {
    (self.cache, self.dryRun, self.moves) = (cache, dryRun, moves)
  }

  /// Notes a file before it is printed.
  mutating func note(_ file: ImportedFile) {
    if dryRun, case .imported(let photo) = file.outcome { rehearsed[photo.id] = file.path }
  }

  /// The id of a photo that is on record.
  func id(_ id: UUID) -> UUID? { rehearsed[id] == nil ? id : nil }

  /// The file that a photo was or would be made from, else the name that it came with.
  func original(of id: UUID) -> FilePath? {
    if let path = rehearsed[id] { return path }
    guard let known = try? cache.knownAs(photo: id.uuidString) else { return nil }
    return known.original ?? known.name.map { FilePath($0) }
  }

  /// One plain line: what became of the file, or would.
  func line(_ file: ImportedFile) -> String {
    let name = DisplayText.path(file.path)
    let word = Self.word(file.outcome, dryRun: dryRun)
    let column = word + String(repeating: " ", count: max(0, (dryRun ? 13 : 10) - word.count) + 1)
    let text =
      switch file.outcome {
      case .imported(let photo): name + (id(photo.id).map { "  \($0.uuidString)" } ?? "")
      case .duplicate(let id, let tier): name + "  " + equality(tier, to: id)
      case .unchanged: name
      case .skipped(let refusal), .failed(let refusal): refusal.sentence(about: file.path)
      }
    return column + text + (source(file).map { "  (\($0))" } ?? "")
  }

  /// To which file another one is equal.
  func equality(_ tier: ImportOutcome.DuplicateTier, to id: UUID) -> String {
    let other =
      original(of: id).map { DisplayText.path($0) } ?? self.id(id)?.uuidString ?? "?"
    return switch tier {
    case .bytes:
      Speech.pick(en: "the same file as \(other)", pl: "ten sam plik co \(other)")
    case .pixels:
      Speech.pick(en: "the same picture as \(other)", pl: "ten sam obraz co \(other)")
    }
  }

  /// What became of the original, or would.
  func source(_ file: ImportedFile) -> String? {
    if let path = file.sourceMovedTo {
      let place = DisplayText.path(path)
      return Speech.pick(en: "original moved to \(place)", pl: "oryginał przeniesiono do \(place)")
    }
    if let kept = file.sourceKept {
      return dryRun
        ? Speech.pick(
          en: "original would stay: \(kept.words)", pl: "oryginał zostałby: \(kept.words)")
        : Speech.pick(
          en: "original kept: \(kept.words)", pl: "oryginał pozostawiono: \(kept.words)")
    }
    guard file.sourceDeleted else { return nil }
    guard dryRun else { return Speech.pick(en: "original deleted", pl: "oryginał usunięto") }
    return moves
      ? Speech.pick(en: "original would be moved", pl: "oryginał zostałby przeniesiony")
      : Speech.pick(en: "original would be deleted", pl: "oryginał zostałby usunięty")
  }

  /// The outcome as a column.
  static func word(_ outcome: ImportOutcome, dryRun: Bool) -> String {
    switch outcome {
    case .imported:
      dryRun
        ? Speech.pick(en: "would import", pl: "do dodania")
        : Speech.pick(en: "imported", pl: "dodano")
    case .duplicate: Speech.pick(en: "duplicate", pl: "duplikat")
    case .unchanged: Speech.pick(en: "unchanged", pl: "bez zmian")
    case .skipped:
      dryRun
        ? Speech.pick(en: "would skip", pl: "do pominięcia")
        : Speech.pick(en: "skipped", pl: "pominięto")
    case .failed:
      dryRun ? Speech.pick(en: "would fail", pl: "błąd") : Speech.pick(en: "failed", pl: "błąd")
    }
  }
}
