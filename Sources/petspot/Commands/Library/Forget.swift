import ArgumentParser
import Foundation
import PhotoAttachments
import SystemPackage
import ReportFlow

/// `petspot forget`: removes photos from the library.
struct Forget: PetspotCommand, AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    "help.forget.abstract", "help.forget.discussion",
    examples: """
      petspot forget 6F9619FF-8B86-4011-B42D-00C04FC964FF
      petspot forget 6F9619FF-8B86-4011-B42D-00C04FC964FF --only-copies
      """)

  @Argument(
    help: .words("help.forget.ids", "id"), completion: PhotoReference.completion(),
    transform: PhotoReference.required)
  var ids: [PhotoReference]

  @Flag(help: .words("help.forget.onlyCopies"))
  var onlyCopies = false

  @OptionGroup var options: GlobalOptions

  func run() async throws {
    guard let cache = try ids.first?.photos(options) else { return }
    var ids = try ids.map { try $0.id(in: cache) }
    var seen = Set<UUID>()
    ids = ids.filter { seen.insert($0).inserted }
    try OnlyCopyWords.check(
      cache.catalog.onlyCopies(among: ids), of: cache, allowed: onlyCopies, json: options.json)
    var notDeleted: PhotoAttachmentCache.NotDeleted?
    for id in ids {
      do throws(StoreError) {
        let (drafts, left) = try await cache.forgetNow(asset: id, onlyCopies: onlyCopies)
        notDeleted = left ?? notDeleted
        let kept = drafts.map {
          let name = DisplayText.name($0)
          return L10n.words("forget.reportKept", ["name": name])
        }
        try options.print(
          ["id": id, "forgotten": true, "drafts": drafts],
          orText: L10n.words("forget.done") + id.uuidString
            + kept.joined())
      } catch {
        var found = try cache.findPhoto(id).map { [$0] } ?? []
        try cache.addHolders(to: &found)
        guard error == .missingPhoto, let place = found.first?.holder else {
          throw Failure(error, about: FilePath(id.uuidString))
        }
        throw Failure(
          code: "attached",
          message: L10n.words("forget.attached", ["photo": id.uuidString, "place": place]),
          exitCode: 65)
      }
    }
    if let notDeleted { throw Failure(notDeleted) }
  }
}
