import ArgumentParser
import PhotoAttachments
import ReportFlow

struct Report: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Report a missing pet.",
    discussion: """
      Without a further word this is a conversation in four steps: microchip, photo, description, \
      contact. Stop whenever you like and take it up again later. The subcommands do the same for \
      scripts; each of the first four is that step's Continue.

      EXAMPLES:
        petspot report
        petspot report --lang pl --draft burek
        petspot report photo rex.heic --json
        petspot report submit
      """,
    subcommands: [
      ReportConversation.self, ReportChip.self, ReportPhoto.self, ReportDescribe.self,
      ReportContact.self, ReportSubmit.self, ReportStatus.self, ReportClear.self,
    ], defaultSubcommand: ReportConversation.self)
}

struct ReportChip: ReportCommand {
  static let configuration = CommandConfiguration(
    commandName: "chip", abstract: "Step 1: the microchip's number, which may be left out.",
    discussion: """
      EXAMPLES:
        petspot report chip --number 616-093-900-012-345
      """)

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Up to 15 digits; anything else is dropped.", valueName: "text"),
    transform: RawArguments.text)
  var number: String?

  @OptionGroup var report: ReportOptions

  func perform(in session: ReportSession) throws {
    try session.checkEditable()
    let model = ChipNumberViewModel(
      flowState: session.flow, environment: session.environment, words: words)
    if let number { model.chipNumber = number }
    try session.tell(.chip, model.continueTapped())
  }
}

struct ReportStatus: ReportCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show the whole report as it stands.",
    discussion: """
      EXAMPLES:
        petspot report status --json
      """)

  @OptionGroup var report: ReportOptions

  func perform(in session: ReportSession) throws {
    let (draft, photo) = (session.flow.draft, session.flow.photoStatus)
    try options.print(
      draft.json(photo: photo),
      orText: session.lines.map { "\($0.label): \(ReadableText.escaped($0.text))" }
        .joined(separator: "\n"))
  }
}

struct ReportClear: ReportCommand {
  static let configuration = CommandConfiguration(
    commandName: "clear", abstract: "Empty the report and remove its photo.",
    discussion: """
      An announcement made of it stays; see petspot announcements close.

      EXAMPLES:
        petspot report clear
      """)

  @OptionGroup var report: ReportOptions

  func perform(in session: ReportSession) async throws {
    try await session.flow.clear()
    try session.checkSaved()
    try options.print(
      ["draft": .string(session.flow.draft.id), "cleared": true],
      orText: words(.flowCleared))
  }
}
