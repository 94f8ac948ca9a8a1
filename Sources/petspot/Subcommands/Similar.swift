import PetSpotStores
import ArgumentParser
import Foundation
import PhotoAttachments
import SystemPackage
import ReportFlow

struct Similar: PetspotCommand {
  static let configuration = CommandConfiguration(
    "help.similar.abstract", "help.similar.discussion",
    examples: """
      petspot similar 6F9619FF-8B86-4011-B42D-00C04FC964FF
      """)

  @Argument(
    help: .words("help.similar.reference", "id"), completion: PhotoReference.completion(),
    transform: PhotoReference.required)
  var reference: PhotoReference

  @Option(help: .words("help.similar.distanceRange", "n"))
  var distance = 10

  @Option(help: .words("help.announcements.list.limit", "n"))
  var limit = 20

  @OptionGroup var options: GlobalOptions

  func validate() throws {
    if !(0...64).contains(distance) {
      throw ValidationError(text: "usage.similarDistance")
    }
    if limit < 1 { throw ValidationError(text: "usage.optionBelowOne", ["option": "--limit"]) }
  }

  func run() throws {
    let photos = try reference.photos(options)
    let id = try reference.id(in: photos)
    let found = try about(FilePath(id.uuidString)) { () throws(StoreError) in
      try photos.similar(to: id, distance: distance, limit: limit)
    }
    let terminal = Terminal.standardOutput()
    if !found.isEmpty, !options.json, !options.quiet {
      let differs = L10n.words("similar.header")
      try Output.line(
        terminal.dim(differs + PhotoAttachmentMetadata.rowHeader(verbose: options.verbose)))
    }
    for similar in found {
      try options.print(
        ["distance": .int(similar.distance), "photo": similar.photo.json],
        orText: String(format: L10n.words("similar.bits"), similar.distance)
          + similar.photo.row(on: terminal, verbose: options.verbose, indent: 10))
    }
    if found.isEmpty, !options.json, !options.quiet {
      try Output.text(
        L10n.words("similar.none"))
    }
  }
}
