import PetSpotStores
import ArgumentParser
import Foundation
import PhotoAttachments
import SystemPackage

struct Export: PetspotCommand {
  static let configuration = CommandConfiguration(
    abstract: Speech.pick(
      en: "Copy photos out of the cache into a folder.", pl: "Skopiuj zapisane zdjęcia do folderu."),
    discussion: HelpText.text(
      en: """
        Copies the normalized photo, proved against its digest. No file is ever overwritten: a name \
        that is taken gets a number.
        """,
      pl: """
        Kopiuje przygotowane zdjęcie, sprawdzone względem jego skrótu. Żaden plik nie jest nadpisywany: \
        zajęta nazwa dostaje numer.
        """,
      examples: """
        petspot export 6F9619FF-8B86-4011-B42D-00C04FC964FF --to ~/Desktop
        """))

  @Argument(
    help: ArgumentHelp(
      Speech.pick(
        en: "The photos' ids; see petspot list.", pl: "Identyfikatory zdjęć; zob. petspot list."),
      valueName: "id"),
    transform: PhotoReference.required)
  var ids: [PhotoReference]

  @Option(
    name: .customLong("to"),
    help: ArgumentHelp(
      Speech.pick(
        en: "The folder; made when it is missing.", pl: "Folder; powstaje, gdy go nie ma."),
      valueName: "dir"),
    completion: .directory, transform: RawArguments.requiredTextPath)
  var directory: FilePath

  @OptionGroup var options: GlobalOptions

  func run() throws {
    guard let cache = try ids.first?.photos(options) else { return }
    let folder = URL(fileURLWithPath: directory.string, isDirectory: true)
    for reference in ids {
      let id = try reference.id(in: cache)
      try about(FilePath(id.uuidString)) { () throws(StoreError) in
        let copy = FilePath(try cache.export(id: id, to: folder).path)
        try options.print(
          ["id": .string(id.uuidString), "path": .string(DisplayText.verbatim(copy))],
          orText: DisplayText.exact(copy))
      }
    }
  }
}
