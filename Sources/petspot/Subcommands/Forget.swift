import PetSpotStores
import ArgumentParser
import Foundation
import PhotoAttachments
import SystemPackage

struct Forget: PetspotCommand, AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: Speech.pick(en: "Remove photos from the library.", pl: "Usuń zdjęcia z biblioteki."),
    discussion: HelpText.text(
      en: """
        The original is not touched. Another import of it leaves it out, and so does a move from a copy of \
        the library; petspot import --again takes it in anew. A report that the photo was attached to keeps \
        its picture, but no longer names the library photo.
        """,
      pl: """
        Oryginał nie jest zmieniany. Kolejny import go pominie, podobnie jak przeniesienie z kopii \
        biblioteki; ponownie doda go petspot import --again. Zgłoszenie, do którego zdjęcie było dodane, \
        zachowuje swój obraz, ale nie wskazuje już na bibliotekę.
        """,
      examples: """
        petspot forget 6F9619FF-8B86-4011-B42D-00C04FC964FF
        """))

  @Argument(
    help: ArgumentHelp(
      Speech.pick(
        en: "Library photos' ids; see petspot list.",
        pl: "Identyfikatory zdjęć z biblioteki; zob. petspot list."), valueName: "id"),
    completion: PhotoReference.completion(), transform: PhotoReference.required)
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
          return Speech.pick(
            en: "\n  the report \(name) keeps its picture",
            pl: "\n  zgłoszenie \(name) zachowuje swoje zdjęcie")
        }
        try options.print(
          ["id": .string(id.uuidString), "forgotten": true, "drafts": .strings(drafts)],
          orText: Speech.pick(en: "Forgotten: ", pl: "Usunięto z biblioteki: ") + id.uuidString
            + kept.joined())
      } catch {
        throw Failure(error, about: FilePath(id.uuidString))
      }
    }
  }
}
