import PetSpotStores
import ArgumentParser
import Foundation
import PhotoAttachments
import SystemPackage
import ReportFlow

struct Forget: PetspotCommand, AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    "help.forget.abstract", "help.forget.discussion",
    examples: """
      petspot forget 6F9619FF-8B86-4011-B42D-00C04FC964FF
      """)

  @Argument(
    help: .words("help.forget.ids", "id"), completion: PhotoReference.completion(),
    transform: PhotoReference.required)
  var ids: [PhotoReference]

  @OptionGroup var options: GlobalOptions

  func run() async throws {
    guard let cache = try ids.first?.photos(options) else { return }
    for reference in ids {
      let id = try reference.id(in: cache)
      do throws(StoreError) {
        let drafts = try await cache.forget(asset: id)
        let kept = drafts.map {
          let name = DisplayText.name($0)
          return L10n.words("forget.reportKept", ["name": name])
        }
        try options.print(
          ["id": .string(id.uuidString), "forgotten": true, "drafts": .strings(drafts)],
          orText: L10n.words("forget.done") + id.uuidString
            + kept.joined())
      } catch {
        throw Failure(error, about: FilePath(id.uuidString))
      }
    }
  }
}
