import ArgumentParser
import ReportFlow

struct ReportConversation: ReportCommand {
  static let configuration = CommandConfiguration(
    commandName: "talk",
    abstract: Speech.pick(
      en: "Walk through the four steps in a conversation (the default).",
      pl: "Przejdź cztery kroki w rozmowie (domyślnie)."),
    discussion: HelpText.examples(
      """
      petspot report
      petspot report --lang pl --position 52.2297,21.0122
      """))

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      Speech.pick(
        en: "Where you are, offered as the place in step 3.",
        pl: "Twoje położenie, proponowane jako miejsce w kroku 3."), valueName: "lat,lon"))
  var position: GivenPosition?

  @OptionGroup var report: ReportOptions

  func validate() throws {
    if report.options.json {
      throw ArgumentParser.ValidationError(
        Speech.pick(
          en:
            "A conversation has no JSON; use petspot report chip, photo, describe, contact, submit.",
          pl:
            "Rozmowa nie ma postaci JSON; użyj petspot report chip, photo, describe, contact, submit."
        ))
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
