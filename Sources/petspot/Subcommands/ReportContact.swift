import Announcements
import ArgumentParser
import PhotoAttachments
import ReportFlow

struct ReportContact: ReportCommand {
  static let configuration = CommandConfiguration(
    commandName: "contact",
    abstract: Speech.pick(
      en: "Step 4: how to reach you.", pl: "Krok 4: jak się z Tobą skontaktować."),
    discussion: HelpText.text(
      en: """
        What is not given stays as it was; an empty text empties a field.
        """,
      pl: """
        Czego nie podasz, zostaje, jak było; pusty tekst opróżnia pole.
        """,
      examples: """
        petspot report contact --name Jan --phone '+48 600 700 800' --reward '100 zł'
        """))

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      Speech.pick(en: "Your name, up to 100 characters.", pl: "Twoje imię, najwyżej 100 znaków."),
      valueName: "text"),
    transform: RawArguments.text)
  var name: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      Speech.pick(en: "7 to 15 digits.", pl: "Od 7 do 15 cyfr."), valueName: "text"),
    transform: RawArguments.text)
  var phone: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      Speech.pick(en: "Your e-mail address.", pl: "Twój adres e-mail."), valueName: "text"),
    transform: RawArguments.text)
  var email: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      Speech.pick(
        en: "What the finder gets, up to 120 characters.",
        pl: "Co dostanie znalazca, najwyżej 120 znaków."), valueName: "text"),
    transform: RawArguments.text)
  var reward: String?

  @OptionGroup var report: ReportOptions

  func perform(in session: ReportSession) throws {
    try session.checkEditable()
    let model = session.coordinator().makeContactDetails()
    let outcome = session.flow.together {
      if let name { model.name = name }
      if let phone { model.phone = phone }
      if let email { model.email = email }
      if let reward { model.reward = reward }
      return model.validate()
    }
    try session.tell(.contact, outcome, adjusted: Adjustment.of(.reward, reward ?? ""))
  }
}

struct ReportSubmit: ReportCommand {
  static let configuration = CommandConfiguration(
    commandName: "submit",
    abstract: Speech.pick(
      en: "Publish the report as an announcement.", pl: "Opublikuj zgłoszenie jako ogłoszenie."),
    discussion: HelpText.text(
      en: """
        Prints the code that closes or erases the announcement; it is shown once. Submitting the same report \
        again answers the same announcement, and goes on where an earlier try stopped.
        """,
      pl: """
        Wypisuje kod, który zamyka lub usuwa ogłoszenie; pokazujemy go raz. Ponowna publikacja tego samego \
        zgłoszenia wypisuje to samo ogłoszenie i kontynuuje tam, gdzie wcześniejsza próba się zatrzymała.
        """,
      examples: """
        petspot report submit --json | jq -r .managementPassword
        petspot report submit --server https://pets.example.org
        """))

  @OptionGroup var report: ReportOptions

  func perform(in session: ReportSession) async throws {
    let created = try await session.submission.submit(session.flow)
    var answer: JSON = ["announcement": created.announcement.json]
    var lines = [words(.summaryHeading), session.audience]
    if let password = created.managementPassword {
      answer = answer.adding(["managementPassword": .string(password)])
      lines += ["", words(.statusPassword) + ": " + password, words(.summaryParagraph2)]
    }
    lines += ["", words(.statusAnnouncement) + ": " + created.announcement.id]
    // --quiet hides what is not essential; the code is.
    if options.json {
      try Output.line(answer.line)
    } else if !options.quiet || created.managementPassword != nil {
      try Output.text(lines.joined(separator: "\n"))
    }
    // Only what was really printed is forgotten.
    session.flow.handle(.passwordShown)
    try session.checkSaved()
  }
}
