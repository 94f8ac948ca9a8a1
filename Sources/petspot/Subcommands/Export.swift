import PetSpotStores
import ArgumentParser
import Foundation
import PhotoAttachments
import PhotoIngestion
import SystemPackage

struct Export: PetspotCommand {
  static let configuration = CommandConfiguration(
    abstract: Speech.pick(
      en: "Copy photos out of the cache into a folder.", pl: "Skopiuj zapisane zdjęcia do folderu."),
    discussion: HelpText.text(
      en: """
        Copies the normalized photo, proved against its digest. No file is ever overwritten: a name \
        that is taken gets a number. With --size the copy is a JPEG of at most so many pixels along the \
        longer side: 320, 640, 960, 1280 or 1920.
        """,
      pl: """
        Kopiuje przygotowane zdjęcie, sprawdzone względem jego skrótu. Żaden plik nie jest nadpisywany: \
        zajęta nazwa dostaje numer. Z --size kopia jest plikiem JPEG, którego dłuższy bok ma najwyżej tyle \
        pikseli: 320, 640, 960, 1280 lub 1920.
        """,
      examples: """
        petspot export 6F9619FF-8B86-4011-B42D-00C04FC964FF --to ~/Desktop
        petspot export 6F9619FF-8B86-4011-B42D-00C04FC964FF --to ~/Desktop --size 1280
        """))

  @Argument(
    help: ArgumentHelp(
      Speech.pick(
        en: "The photos' ids; see petspot list.", pl: "Identyfikatory zdjęć; zob. petspot list."),
      valueName: "id"),
    completion: PhotoReference.completion(), transform: PhotoReference.required)
  var ids: [PhotoReference]

  @Option(
    name: .customLong("to"),
    help: ArgumentHelp(
      Speech.pick(
        en: "The folder; made when it is missing.", pl: "Folder; powstaje, gdy go nie ma."),
      valueName: "dir"),
    completion: .directory, transform: RawArguments.requiredTextPath)
  var directory: FilePath

  @Option(
    help: ArgumentHelp(
      Speech.pick(
        en: "Export a JPEG of at most this size.", pl: "Eksportuj JPEG o najwyżej tym rozmiarze."),
      valueName: "pixels"))
  var size: Int?

  @OptionGroup var options: GlobalOptions

  func validate() throws {
    guard let size, !PhotoSize.rungs.contains(size) else { return }
    throw ValidationError(
      Speech.pick(
        en: "--size takes 320, 640, 960, 1280 or 1920, not \(size).",
        pl: "--size przyjmuje 320, 640, 960, 1280 lub 1920, a nie \(size)."))
  }

  func run() throws {
    guard let cache = try ids.first?.photos(options) else { return }
    let folder = URL(fileURLWithPath: directory.string, isDirectory: true)
    for reference in ids {
      let id = try reference.id(in: cache)
      try about(FilePath(id.uuidString)) { () throws(StoreError) in
        let copy = FilePath(try cache.export(id: id, size: size, to: folder).path)
        try options.print(
          ["id": .string(id.uuidString), "path": .string(DisplayText.verbatim(copy))],
          orText: DisplayText.exact(copy))
      }
    }
  }
}
