import ArgumentParser
import Foundation
import PhotoAttachments

/// The one executable. Commands are one file each in `Subcommands/`; what they print is made in
/// `Telling/`, pictures in `Drawing/`, and arguments come through `Parsing/`.
struct Petspot: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "petspot",
    abstract: "Attach a pet's photo: upright, in sRGB, without a byte of metadata.",
    discussion: """
      Takes JPG, PNG, HEIC, GIF and WEBP. Every command takes --json for programs.

      EXAMPLES:
        petspot inspect rex.heic
        petspot attach rex.heic
        petspot status
        petspot continue
      """,
    version: ProgramVersion.current,
    groupedSubcommands: [
      CommandGroup(
        name: "The attachment",
        subcommands: [Attach.self, Status.self, Remove.self, Continue.self]),
      CommandGroup(
        name: "The report", subcommands: [Report.self, AnnouncementsCommand.self, Serve.self]),
      CommandGroup(
        name: "Photos",
        subcommands: [
          Import.self, Inspect.self, List.self, Similar.self, Show.self, Export.self, Forget.self,
        ]),
      CommandGroup(name: "The cache", subcommands: [Verify.self, Sweep.self, Doctor.self]),
    ])
}
