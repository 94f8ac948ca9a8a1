import ArgumentParser
import ReportFlow

struct ReportConversation: ReportCommand {
  static let configuration = CommandConfiguration(
    commandName: "talk", abstract: "Walk through the four steps in a conversation (the default).",
    discussion: """
      EXAMPLES:
        petspot report
        petspot report --lang pl --position 52.2297,21.0122
      """)

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Where you are, offered as the place in step 3.", valueName: "lat,lon"))
  var position: GivenPosition?

  @OptionGroup var report: ReportOptions

  func validate() throws {
    if report.options.json {
      throw ArgumentParser.ValidationError(
        "A conversation has no JSON; use petspot report chip, photo, describe, contact, submit.")
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
