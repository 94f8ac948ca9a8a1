import ArgumentParser
import ReportFlow

/// The root command. Each command has a file in `Commands/`. `Output/` formats what they print, `Terminal/` has
/// questions and pictures, `Arguments/` parses arguments, and `Process/` handles signals and limits.
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

  /// Declared here so that it is accepted in any position, including with a command's help and errors.
  @OptionGroup var language: LanguageOptions
}
