import Foundation
import PhotoAttachments
import ReportFlow
import SystemPackage

/// Formats the output about an import's files.
struct ImportFormatter {
  /// The cache in which originals of library photos are looked up.
  let cache: PhotoAttachmentCache
  let dryRun: Bool
  /// `true` if originals are moved, `false` if they are deleted.
  let moves: Bool
  /// The files of photos that a dry run would import. Their ids exist only in this run.
  private(set) var dryRunPhotos: [UUID: FilePath] = [:]

  /// Records a file of a dry run. Call it before formatting the file.
  mutating func recordFile(_ file: ImportedFile) {
    if dryRun, case .imported(let photo) = file.outcome { dryRunPhotos[photo.id] = file.path }
  }

  /// Returns the id, or `nil` if it belongs to a photo that only a dry run would create.
  func id(_ id: UUID) -> UUID? { dryRunPhotos[id] == nil ? id : nil }

  /// Returns the file from which a photo was or would be made, or the name that the photo came with.
  func original(of id: UUID) -> FilePath? {
    if let path = dryRunPhotos[id] { return path }
    guard let known = try? cache.ownerHints(photo: id.uuidString) else { return nil }
    return known.original ?? known.name.map { FilePath($0) }
  }

  /// Returns one plain line about what happened to the file, or would happen.
  func line(_ file: ImportedFile) -> String {
    let name = DisplayText.path(file.path)
    let word = Self.column(file.outcome.word, dryRun: dryRun)
    // The column has the width of the longest word. The word for failures may exceed it, because failures are rare.
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

  /// Returns a text that names the file to which another one is equal. `tier` is whether all bytes or only all pixels
  /// are equal.
  func equality(_ tier: ImportOutcome.DuplicateTier, to id: UUID) -> String {
    let other =
      original(of: id).map { DisplayText.path($0) } ?? self.id(id)?.uuidString ?? "?"
    return L10n.words(tier == .bytes ? "import.sameFile" : "import.samePicture", ["other": other])
  }

  /// Returns what happened to the original, or would happen.
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

  /// Returns an outcome's word for the first column.
  private static func column(_ word: String, dryRun: Bool) -> String {
    L10n.words(TextKey(rawValue: "import.outcome.\(ImportOutcome.name(of: word, dryRun: dryRun))"))
  }
}
