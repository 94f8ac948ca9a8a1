import PetSpotStores
import ArgumentParser
import Foundation
import PhotoAttachments
import SystemPackage

struct Similar: PetspotCommand {
  static let configuration = CommandConfiguration(
    abstract: Speech.pick(
      en: "List library photos that look like one of them.",
      pl: "Wypisz zdjęcia z biblioteki podobne do wskazanego."),
    discussion: HelpText.text(
      en: """
        Compares by looks, the most similar first. Each photo has a fingerprint of 64 bits; DIFFERS \
        counts differing bits: 0 looks the same, up to 10 is very similar, around 32 has nothing in \
        common. It only suggests: photos are never merged by looks.
        """,
      pl: """
        Porównuje wygląd, najbardziej podobne najpierw. Każde zdjęcie ma odcisk 64 bitów; RÓŻNICA mówi, ile z \
        nich jest innych: 0 wygląda tak samo, do 10 bardzo podobnie, około 32 nie ma nic wspólnego. To tylko \
        podpowiedź: nic nie jest łączone według wyglądu.
        """,
      examples: """
        petspot similar 6F9619FF-8B86-4011-B42D-00C04FC964FF
        """))

  @Argument(
    help: ArgumentHelp(
      Speech.pick(
        en: "A library photo's id; see petspot list.",
        pl: "Identyfikator zdjęcia z biblioteki; zob. petspot list."), valueName: "id"),
    completion: PhotoReference.completion(), transform: PhotoReference.required)
  var reference: PhotoReference

  @Option(
    help: ArgumentHelp(
      Speech.pick(en: "Bits of 64 that may differ.", pl: "Ile z 64 bitów może się różnić."),
      valueName: "n"))
  var distance = 10

  @Option(
    help: ArgumentHelp(
      Speech.pick(en: "Show at most this many.", pl: "Pokaż najwyżej tyle."), valueName: "n"))
  var limit = 20

  @OptionGroup var options: GlobalOptions

  func validate() throws {
    if !(0...64).contains(distance) {
      throw ValidationError(
        Speech.pick(en: "--distance is 0 to 64.", pl: "--distance to liczba od 0 do 64."))
    }
    if limit < 1 { throw UsageWords.atLeastOne("--limit") }
  }

  func run() throws {
    let photos = try reference.photos(options)
    let id = try reference.id(in: photos)
    let found = try about(FilePath(id.uuidString)) { () throws(StoreError) in
      try photos.similar(to: id, distance: distance, limit: limit)
    }
    let terminal = Terminal.standardOutput()
    if !found.isEmpty, !options.json, !options.quiet {
      let differs = Speech.pick(en: "DIFFERS   ", pl: "RÓŻNICA   ")
      try Output.line(
        terminal.dim(differs + PhotoAttachmentMetadata.rowHeader(isWhole: options.verbose)))
    }
    for similar in found {
      try options.print(
        ["distance": .int(similar.distance), "photo": similar.photo.json],
        orText: String(format: Speech.pick(en: "%2d of 64  ", pl: "%2d z 64   "), similar.distance)
          + similar.photo.row(on: terminal, isWhole: options.verbose, indent: 10))
    }
    if found.isEmpty, !options.json, !options.quiet {
      try Output.text(
        Speech.pick(en: "No photo looks like it.", pl: "Żadne zdjęcie nie jest podobne."))
    }
  }
}
