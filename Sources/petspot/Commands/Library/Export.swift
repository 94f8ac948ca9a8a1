import PetSpotStores
import ArgumentParser
import Foundation
import PhotoAttachments
import PhotoIngestion
import SystemPackage
import ReportFlow

/// `petspot export`: copies photos to a folder.
struct Export: PetspotCommand, AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    "help.export.abstract", "help.export.discussion",
    examples: """
      petspot export 6F9619FF-8B86-4011-B42D-00C04FC964FF --to ~/Desktop
      petspot export 6F9619FF-8B86-4011-B42D-00C04FC964FF --to ~/Desktop --size 1280
      petspot export --all --to ~/Photos --by taken
      """)

  @Argument(
    help: .words("help.export.ids", "id"), completion: PhotoReference.completion(),
    transform: PhotoReference.required)
  var ids: [PhotoReference] = []

  @Flag(help: .words("help.export.all"))
  var all = false

  @Option(help: .words("help.export.by", "taken|folder"))
  var by: Grouping?

  /// The folder structure of exported photos.
  enum Grouping: String, ExpressibleByArgument, CaseIterable, Sendable {
    /// By the month in which a photo was taken: `YYYY/MM`.
    case taken
    /// By the folder from which a photo was imported.
    case folder
  }

  @Option(
    name: .customLong("to"), help: .words("help.export.directory", "dir"), completion: .directory,
    transform: RawArguments.requiredTextPath)
  var directory: FilePath

  @Option(help: .words("help.export.size", "pixels"))
  var size: Int?

  @OptionGroup var options: GlobalOptions

  func validate() throws {
    if all == !ids.isEmpty { throw ValidationError(text: "usage.exportSomeOrAll") }
    try ValidationError.require("--all", all, for: "--by", by != nil)
    guard let size, !PhotoSize.maxSides.contains(size) else { return }
    throw ValidationError(text: "usage.exportNoSuchSize", ["size": "\(size)"])
  }

  func run() async throws {
    if all { return try await exportAll() }
    guard let cache = try ids.first?.photos(options) else { return }
    let folder = URL(fileURLWithPath: directory.string, isDirectory: true)
    for reference in ids {
      let id = try reference.id(in: cache)
      do throws(StoreError) {
        let copy = FilePath(try await cache.export(id: id, size: size, to: folder).path)
        try print(id, copy)
      } catch {
        if error == .missingPhoto, try await cache.photo(id: id) != nil {
          throw Self.pictureMissing(id)
        }
        throw Failure(error, about: FilePath(id.uuidString))
      }
    }
  }

  /// Copies every photo that the target doesn't have yet. Starts with the photo that was stored first, so that names
  /// are the same in every run. Reports a photo that can't be copied and continues with the next one.
  private func exportAll() async throws {
    guard let cache = try options.openStoresIfThere()?.photos else {
      return try printTotals(copied: 0, known: 0, failed: 0)
    }
    var export = PhotoExport(from: cache, size: size)
    var totals = (copied: 0, known: 0, failed: 0)
    var exitCode: Int32 = 65
    for found in try await cache.photos(PhotoQuery()).reversed() {
      try Task.checkCancellation()
      do throws(StoreError) {
        for place in places(of: found) {
          let (file, isNew) = try export.write(
            found, as: place.name, to: folder(place.folder), unlessThere: true)
          if isNew { totals.copied += 1 } else { totals.known += 1 }
          if isNew || options.verbose { try print(found.photo.id, FilePath(file.path)) }
        }
      } catch .missingPhoto {
        totals.failed += 1
        _ = Self.pictureMissing(found.photo.id).report(json: options.json)
      } catch {
        // An error of the cache affects only this photo, but an error of the target ends the export.
        if case .storage(_, let path, _) = error, path.hasPrefix(cache.folder.path + "/") {
          exitCode = 74
        } else if error.systemErrno != nil {
          throw Failure(error)
        }
        totals.failed += 1
        Failure(error, about: FilePath(found.photo.id.uuidString)).report(json: options.json)
      }
    }
    try printTotals(copied: totals.copied, known: totals.known, failed: totals.failed)
    try await options.checkIsWhole(cache)
    if totals.failed > 0 { throw ExitCode(exitCode) }
  }

  /// Returns the failure for a photo that has a record but no picture.
  private static func pictureMissing(_ id: UUID) -> Failure {
    Failure(
      code: StoreError.missingPhoto.code,
      message: L10n.words("command.error.pictureMissing", ["photo": id.uuidString]),
      exitCode: StoreError.missingPhoto.exitCode)
  }

  /// Returns the folders below the target, and the names, as which a photo is exported. By folder, that is every place
  /// in which a copy of it was found.
  private func places(of found: FoundPhoto) -> [FoundPlace] {
    let first = FoundPlace(folder: "", name: found.name)
    switch by {
    case nil: return [first]
    case .taken:
      let month = found.dayTaken.map { String($0.prefix(7)).replacing("-", with: "/") }
      return [FoundPlace(folder: month ?? "undated", name: found.name)]
    case .folder: return found.places.isEmpty ? [first] : found.places
    }
  }

  private func folder(_ folder: String) -> String {
    // Folder names may come from untrusted stores. Cleaning them prevents path traversal and control characters.
    let names = folder.split(separator: "/").map { ExportName.cleaned(String($0)) }
    return ([directory.string] + names.filter { !$0.isEmpty }).joined(separator: "/")
  }

  private func print(_ id: UUID, _ copy: FilePath) throws(StoreError) {
    try options.print(
      ["id": id, "path": DisplayText.verbatim(copy)],
      orText: DisplayText.exact(copy))
  }

  private func printTotals(copied: Int, known: Int, failed: Int) throws(StoreError) {
    try options.print(
      ["event": "summary", "copied": copied, "unchanged": known, "failed": failed],
      orText: L10n.words(
        "export.totals",
        [
          "copied": Amounts.number(copied), "known": Amounts.number(known),
          "failed": Amounts.number(failed),
        ]))
  }
}
