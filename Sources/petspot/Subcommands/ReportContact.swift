import Announcements
import ArgumentParser
import PhotoAttachments
import ReportFlow

struct ReportContact: ReportCommand {
  static let configuration = CommandConfiguration(
    commandName: "contact", abstract: "Step 4: how to reach you.",
    discussion: """
      What is not given stays as it was; an empty text empties a field.

      EXAMPLES:
        petspot report contact --name Jan --phone '+48 600 700 800' --reward '100 zł'
      """)

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Your name, up to 100 characters.", valueName: "text"),
    transform: RawArguments.text)
  var name: String?

  @Option(
    parsing: .unconditional, help: ArgumentHelp("7 to 15 digits.", valueName: "text"),
    transform: RawArguments.text)
  var phone: String?

  @Option(
    parsing: .unconditional, help: ArgumentHelp("Your e-mail address.", valueName: "text"),
    transform: RawArguments.text)
  var email: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("What the finder gets, up to 120 characters.", valueName: "text"),
    transform: RawArguments.text)
  var reward: String?

  @OptionGroup var report: ReportOptions

  func perform(in session: ReportSession) throws {
    try session.checkEditable()
    let model = ContactDetailsViewModel(
      flowState: session.flow, environment: session.environment, submission: session.submission,
      words: words)
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
    commandName: "submit", abstract: "Publish the report as an announcement.",
    discussion: """
      Prints the code that closes or erases the announcement; it is shown once. Submitting the same report \
      again answers the same announcement, and goes on where an earlier try stopped.

      EXAMPLES:
        petspot report submit --json | jq -r .managementPassword
        petspot report submit --server https://pets.example.org
      """)

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
    // --quiet hides what people can do without; nobody can do without the code.
    if options.json {
      try Output.line(answer.line)
    } else if !options.quiet || created.managementPassword != nil {
      try Output.line(lines.joined(separator: "\n"))
    }
    // Only what was really printed is forgotten.
    session.flow.handle(.passwordShown)
    try session.checkSaved()
  }
}
