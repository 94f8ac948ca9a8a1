import PetSpotStores
import ArgumentParser
import Foundation
import PhotoAttachments
import SystemPackage

struct Export: PetspotCommand {
  static let configuration = CommandConfiguration(
    abstract: "Copy photos out of the cache into a folder.",
    discussion: """
      Copies the normalized photo, proved against its digest. No file is ever overwritten: a name \
      that is taken gets a number.

      EXAMPLES:
        petspot export 6F9619FF-8B86-4011-B42D-00C04FC964FF --to ~/Desktop
      """)

  @Argument(
    help: ArgumentHelp("The photos' ids; see petspot list.", valueName: "id"),
    transform: RawArguments.id)
  var ids: [UUID]

  @Option(
    name: .customLong("to"),
    help: ArgumentHelp("The folder; made when it is missing.", valueName: "dir"),
    completion: .directory, transform: RawArguments.requiredTextPath)
  var directory: FilePath

  @OptionGroup var options: GlobalOptions

  func run() throws {
    let cache = try options.openStores().photos
    let folder = URL(fileURLWithPath: directory.string, isDirectory: true)
    for id in ids {
      try about(FilePath(id.uuidString)) { () throws(StoreError) in
        let copy = FilePath(try cache.export(id: id, to: folder).path)
        try options.print(
          ["id": .string(id.uuidString), "path": .string(DisplayText.verbatim(copy))],
          orText: DisplayText.exact(copy))
      }
    }
  }
}

extension RawArguments {
  /// An id as `petspot list` prints it.
  static func id(_ argument: String) throws -> UUID {
    guard let id = UUID(uuidString: argument) else {
      throw ValidationError("\(argument) is not a photo's id.")
    }
    return id
  }
}
