import PetSpotStores
import ArgumentParser
import Foundation
import PhotoAttachments
import SystemPackage

struct Similar: PetspotCommand {
  static let configuration = CommandConfiguration(
    abstract: "List library photos that look like one of them.",
    discussion: """
      Compares by looks, the most alike first. It only suggests: nothing is ever merged by looks.

      EXAMPLES:
        petspot similar 6F9619FF-8B86-4011-B42D-00C04FC964FF
      """)

  @Argument(
    help: ArgumentHelp("A library photo's id; see petspot list.", valueName: "id"),
    transform: RawArguments.id)
  var id: UUID

  @Option(help: ArgumentHelp("Bits of 64 that may differ.", valueName: "n"))
  var distance = 10

  @Option(help: ArgumentHelp("Show at most this many.", valueName: "n"))
  var limit = 20

  @OptionGroup var options: GlobalOptions

  func validate() throws {
    if !(0...64).contains(distance) { throw ValidationError("--distance is 0 to 64.") }
    if limit < 1 { throw ValidationError("--limit has to be 1 or more.") }
  }

  func run() throws {
    let found = try about(FilePath(id.uuidString)) { () throws(StoreError) in
      try options.openStores().photos.similar(to: id, distance: distance, limit: limit)
    }
    let terminal = Terminal.standardOutput()
    for similar in found {
      try options.print(
        ["distance": .int(similar.distance), "photo": similar.photo.json],
        orText: "\(similar.distance)  " + similar.photo.row(on: terminal))
    }
    if found.isEmpty, !options.json, !options.quiet { try Output.line("No photo looks like it.") }
  }
}
