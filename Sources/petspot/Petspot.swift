import ArgumentParser
import Foundation
import PhotoAttachments

/// The one executable. Commands are one file each in `Subcommands/`; what they print is made in
/// `Output/`, pictures in `Drawing/`, and arguments come through `Parsing/`.
struct Petspot: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "petspot",
    abstract: L10n.words(.petspotAbstract),
    discussion: HelpText.text(
      .petspotHelp,
      examples: """
        petspot inspect rex.heic
        petspot attach rex.heic
        petspot status
        petspot continue
        """),
    version: ProgramVersion.current,
    groupedSubcommands: [
      CommandGroup(
        name: L10n.words(.groupAttachment),
        subcommands: [Attach.self, Status.self, Remove.self, Continue.self]),
      CommandGroup(
        name: L10n.words(.groupReport),
        subcommands: [Report.self, AnnouncementsCommand.self, Serve.self]),
      CommandGroup(
        name: L10n.words(.groupPhotos),
        subcommands: [
          Import.self, Inspect.self, List.self, Similar.self, Show.self, Export.self, Forget.self,
        ]),
      CommandGroup(
        name: L10n.words(.groupMachines),
        subcommands: [Worker.self, Runs.self, Move.self]),
      CommandGroup(
        name: L10n.words(.groupCache),
        subcommands: [Verify.self, Sweep.self, Doctor.self]),
    ])
}
