import Foundation
import PhotoAttachments
import ReportFlow
import SystemPackage

/// What is printed about an import's files.
struct ImportFormatter {
  /// Finds the file that a photo of the library was made from.
  let cache: PhotoAttachmentCache
  let dryRun: Bool
  /// Whether originals are moved, or else deleted.
  let moves: Bool
  /// Of a dry run: photos that there would be, whose ids exist only in this run.
  private(set) var dryRunPhotos: [UUID: FilePath] = [:]

  /// Notes a file before it is printed.
  mutating func note(_ file: ImportedFile) {
    if dryRun, case .imported(let photo) = file.outcome { dryRunPhotos[photo.id] = file.path }
  }

  /// The id of a photo that is on record.
  func id(_ id: UUID) -> UUID? { dryRunPhotos[id] == nil ? id : nil }

  /// The file that a photo was or would be made from, else the name that it came with.
  func original(of id: UUID) -> FilePath? {
    if let path = dryRunPhotos[id] { return path }
    guard let known = try? cache.knownAs(photo: id.uuidString) else { return nil }
    return known.original ?? known.name.map { FilePath($0) }
  }

  /// One plain line: what became of the file, or would.
  func line(_ file: ImportedFile) -> String {
    let name = DisplayText.path(file.path)
    let word = Self.column(file.outcome.word, dryRun: dryRun)
    // As wide as the longest word but that of failures, which are few.
    let words = ["imported", "duplicate", "unchanged", "skipped"]
    let longest = words.map { Self.column($0, dryRun: dryRun).count }.max() ?? 0
    let room = longest - word.count + 2
    let column = word + String(repeating: " ", count: max(2, room))
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
    return L10n.words(tier == .bytes ? "import.sameFile" : "import.samePicture", ["other": other])
  }

  /// What became of the original, or would.
  func source(_ file: ImportedFile) -> String? {
    if let path = file.sourceMovedTo {
      return L10n.words("import.original.moved", ["place": DisplayText.path(path)])
    }
    if let kept = file.sourceKept {
      return L10n.words(
        dryRun ? "import.original.wouldStay" : "import.original.kept", ["words": kept.words])
    }
    guard file.sourceDeleted else { return nil }
    return L10n.words(
      !dryRun
        ? "import.original.deleted"
        : moves ? "import.original.wouldBeMoved" : "import.original.wouldBeDeleted")
  }

  /// An outcome for the first column.
  private static func column(_ word: String, dryRun: Bool) -> String {
    L10n.words(TextKey(rawValue: "import.outcome.\(ImportOutcome.name(of: word, dryRun: dryRun))"))
  }
}
