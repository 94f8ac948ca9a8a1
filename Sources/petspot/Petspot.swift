import ArgumentParser
import Foundation
import PhotoAttachments

/// The one executable. Commands are one file each in `Subcommands/`; what they print is made in
/// `Telling/`, pictures in `Drawing/`, and arguments come through `Parsing/`.
struct Petspot: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "petspot",
    abstract: Speech.pick(
      en: "Attach a pet's photo: upright, in sRGB, without a byte of metadata.",
      pl: "Dodaj zdjęcie zwierzęcia: obrócone jak trzeba, w sRGB, bez żadnych metadanych."),
    discussion: HelpText.text(
      en: """
        Takes JPG, PNG, HEIC, GIF and WEBP. Every command takes --json for programs. Tab completes \
        commands, options and values after: source <(petspot --generate-completion-script bash) (or \
        zsh, fish). All of this is in the manual, too: man petspot (made by Scripts/make-manual).
        """,
      pl: """
        Przyjmuje JPG, PNG, HEIC, GIF i WEBP. Każde polecenie ma opcję --json dla programów. Tab uzupełnia \
        polecenia, opcje i wartości po wpisaniu: source <(petspot --generate-completion-script bash) (lub \
        zsh, fish). Wszystko to jest też w podręczniku: man petspot (tworzy go Scripts/make-manual).
        """,
      examples: """
        petspot inspect rex.heic
        petspot attach rex.heic
        petspot status
        petspot continue
        """),
    version: ProgramVersion.current,
    groupedSubcommands: [
      CommandGroup(
        name: Speech.pick(en: "The attachment", pl: "Dodane zdjęcie"),
        subcommands: [Attach.self, Status.self, Remove.self, Continue.self]),
      CommandGroup(
        name: Speech.pick(en: "The report", pl: "Zgłoszenie"),
        subcommands: [Report.self, AnnouncementsCommand.self, Serve.self]),
      CommandGroup(
        name: Speech.pick(en: "Photos", pl: "Zdjęcia"),
        subcommands: [
          Import.self, Inspect.self, List.self, Similar.self, Show.self, Export.self, Forget.self,
        ]),
      CommandGroup(
        name: Speech.pick(en: "Many machines", pl: "Wiele maszyn"),
        subcommands: [Worker.self, Runs.self, Move.self]),
      CommandGroup(
        name: Speech.pick(en: "The cache", pl: "Folder danych"),
        subcommands: [Verify.self, Sweep.self, Doctor.self]),
    ])
}
