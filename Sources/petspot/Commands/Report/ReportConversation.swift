import ArgumentParser
import ReportFlow

/// `petspot report`: asks for the fields of the report at the terminal.
struct ReportConversation: ReportCommand {
  static let configuration = CommandConfiguration(
    named: "talk", "help.report.talk.abstract",
    examples: """
      petspot report
      petspot report --lang pl --position 52.2297,21.0122
      """)

  @Option(
    parsing: .unconditional, help: .words("help.report.talk.position", "lat,lon"),
    transform: GivenPosition.init(argument:))
  var position: GivenPosition?

  @OptionGroup var report: ReportOptions

  func validate() throws {
    if report.options.json {
      throw ValidationError(text: "usage.conversationNoJSON")
    }
  }

  func perform(in session: ReportSession) async throws {
    try await Conversation(
      session: session, decoding: options.startDecoders(), position: position?.coordinate,
      prompt: Prompt(words: words)
    ).runSteps()
  }
}
