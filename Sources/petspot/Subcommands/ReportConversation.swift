import ArgumentParser
import ReportFlow

struct ReportConversation: ReportCommand {
  static let configuration = CommandConfiguration(
    commandName: "talk",
    abstract: L10n.words(.conversationAbstract),
    discussion: HelpText.examples(
      """
      petspot report
      petspot report --lang pl --position 52.2297,21.0122
      """))

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      L10n.words(.conversationPosition), valueName: "lat,lon"))
  var position: GivenPosition?

  @OptionGroup var report: ReportOptions

  func validate() throws {
    if report.options.json {
      throw ArgumentParser.ValidationError(
        L10n.words(.conversationNoJSON))
    }
  }

  func perform() async throws {
    let session = try ReportSession(report, position: position?.coordinate)
    try await perform(in: session)
  }

  func perform(in session: ReportSession) async throws {
    try await Conversation(
      session: session, decoders: options.startDecoders(), hasPosition: position != nil,
      prompt: Prompt(words: words)
    ).run()
  }
}
