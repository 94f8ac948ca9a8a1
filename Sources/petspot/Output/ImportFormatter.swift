import Foundation
import PhotoAttachments
import PhotoIngestion
import ReportFlow
import SystemPackage

/// What is printed about an import's files.
struct ImportFormatter {
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
      L10n.words(.sameFileAs(other: other))
    case .pixels:
      L10n.words(.samePictureAs(other: other))
    }
  }

  /// What became of the original, or would.
  func source(_ file: ImportedFile) -> String? {
    if let path = file.sourceMovedTo {
      let place = DisplayText.path(path)
      return L10n.words(.originalMoved(place: place))
    }
    if let kept = file.sourceKept {
      return dryRun
        ? L10n.words(.originalWouldStay(words: kept.words))
        : L10n.words(.originalKept(words: kept.words))
    }
    guard file.sourceDeleted else { return nil }
    guard dryRun else { return L10n.words(.originalDeleted) }
    return moves
      ? L10n.words(.originalWouldBeMoved)
      : L10n.words(.originalWouldBeDeleted)
  }

  /// The outcome as a column.
  static func word(_ outcome: ImportOutcome, dryRun: Bool) -> String {
    switch outcome {
    case .imported:
      dryRun
        ? L10n.words(.outcomeWouldImport)
        : L10n.words(.outcomeImported)
    case .duplicate: L10n.words(.outcomeDuplicate)
    case .unchanged: L10n.words(.outcomeUnchanged)
    case .skipped:
      dryRun
        ? L10n.words(.outcomeWouldSkip)
        : L10n.words(.outcomeSkipped)
    case .failed:
      dryRun ? L10n.words(.outcomeWouldFail) : L10n.words(.outcomeFailed)
    }
  }
}
