import PetSpotStores
import ArgumentParser
import Foundation
import PhotoAttachments
import SystemPackage

struct Forget: PetspotCommand, AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Remove photos from the library.",
    discussion: """
      The original is not touched, and another import of it takes it again. A report that the photo \
      was attached to keeps its picture, but no longer names the library photo.

      EXAMPLES:
        petspot forget 6F9619FF-8B86-4011-B42D-00C04FC964FF
      """)

  @Argument(
    help: ArgumentHelp("Library photos' ids; see petspot list.", valueName: "id"),
    transform: RawArguments.id)
  var ids: [UUID]

  @OptionGroup var options: GlobalOptions

  func run() async throws {
    let cache = try options.openStores().photos
    for id in ids {
      do throws(StoreError) {
        let drafts = try await cache.forget(asset: id)
        let kept = drafts.map { "\n  the report \(DisplayText.name($0)) keeps its picture" }
        try options.print(
          ["id": .string(id.uuidString), "forgotten": true, "drafts": .strings(drafts)],
          orText: "Forgotten: \(id.uuidString)" + kept.joined())
      } catch {
        throw Failure(error, about: FilePath(id.uuidString))
      }
    }
  }
}
