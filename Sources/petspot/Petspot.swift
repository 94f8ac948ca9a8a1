import ArgumentParser
import ReportFlow

/// The one executable. Commands are one file each in `Commands/`; what they print is made in
/// `Output/`, questions and pictures in `Terminal/`, and arguments come through `Arguments/`.
struct Petspot: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "petspot",
    abstract: L10n.words("help.petspot.abstract"),
    discussion: HelpText.text(
      "help.petspot.discussion",
      examples: """
        petspot inspect rex.heic
        petspot attach rex.heic
        petspot status
        petspot continue
        """),
    version: ProgramVersion.current,
    groupedSubcommands: [
      CommandGroup(
        name: L10n.words("help.group.attachment"),
        subcommands: [Attach.self, Status.self, Remove.self, Continue.self]),
      CommandGroup(
        name: L10n.words("help.group.report"),
        subcommands: [Report.self, AnnouncementsCommand.self, Serve.self]),
      CommandGroup(
        name: L10n.words("help.group.photos"),
        subcommands: [
          Import.self, Inspect.self, List.self, Browse.self, Similar.self, Show.self, Export.self,
          Forget.self,
        ]),
      CommandGroup(
        name: L10n.words("help.group.machines"),
        subcommands: [Worker.self, Runs.self, Move.self]),
      CommandGroup(
        name: L10n.words("help.group.cache"),
        subcommands: [
          Path.self, Verify.self, Sweep.self, Backup.self, Restore.self, Doctor.self,
        ]),
    ])

  /// Taken here wherever it stands, so that a command's help and errors take it, too.
  @OptionGroup var language: LanguageOptions
}
