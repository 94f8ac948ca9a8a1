import PetSpotStores
import ArgumentParser
import Foundation
import PhotoAttachments
import PhotoIngestion
import SystemPackage
import ReportFlow

struct Export: PetspotCommand, AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    "help.export.abstract", "help.export.discussion",
    examples: """
      petspot export 6F9619FF-8B86-4011-B42D-00C04FC964FF --to ~/Desktop
      petspot export 6F9619FF-8B86-4011-B42D-00C04FC964FF --to ~/Desktop --size 1280
      """)

  @Argument(
    help: .words("help.export.ids", "id"), completion: PhotoReference.completion(),
    transform: PhotoReference.required)
  var ids: [PhotoReference]

  @Option(
    name: .customLong("to"), help: .words("help.export.directory", "dir"), completion: .directory,
    transform: RawArguments.requiredTextPath)
  var directory: FilePath

  @Option(help: .words("help.export.size", "pixels"))
  var size: Int?

  @OptionGroup var options: GlobalOptions

  func validate() throws {
    guard let size, !PhotoSize.maxSides.contains(size) else { return }
    throw ValidationError(text: "usage.exportNoSuchSize", ["size": "\(size)"])
  }

  func run() async throws {
    guard let cache = try ids.first?.photos(options) else { return }
    let folder = URL(fileURLWithPath: directory.string, isDirectory: true)
    for reference in ids {
      let id = try reference.id(in: cache)
      try await about(FilePath(id.uuidString)) { () async throws(StoreError) in
        let copy = FilePath(try await cache.export(id: id, size: size, to: folder).path)
        try options.print(
          ["id": .string(id.uuidString), "path": .string(DisplayText.verbatim(copy))],
          orText: DisplayText.exact(copy))
      }
    }
  }
}
