import Announcements
import ArgumentParser
import PhotoAttachments
import ReportFlow

struct ReportContact: ReportCommand {
  static let configuration = CommandConfiguration(
    named: "contact", "help.report.contact.abstract", "help.report.contact.discussion",
    examples: """
      petspot report contact --name Jan --phone '+48 600 700 800' --reward '100 zł'
      """)

  @Option(parsing: .unconditional, help: .field(.name), transform: RawArguments.text)
  var name: String?

  @Option(parsing: .unconditional, help: .field(.phone), transform: RawArguments.text)
  var phone: String?

  @Option(parsing: .unconditional, help: .field(.email), transform: RawArguments.text)
  var email: String?

  @Option(parsing: .unconditional, help: .field(.reward), transform: RawArguments.text)
  var reward: String?

  @OptionGroup var report: ReportOptions

  func perform(in session: ReportSession) throws {
    try session.checkEditable()
    let model = session.coordinator().makeContactDetails()
    let texts: [(FormField, String?)] = [
      (.name, name), (.phone, phone), (.email, email), (.reward, reward),
    ]
    let outcome = session.flow.together {
      for case (let field, let text?) in texts { model[field] = text }
      return model.validate()
    }
    try session.report(
      .contact, outcome, adjusted: texts.flatMap { InputAdjustment.of($0, $1 ?? "") })
  }
}

struct ReportSubmit: ReportCommand {
  static let configuration = CommandConfiguration(
    named: "submit", "help.report.submit.abstract", "help.report.submit.discussion",
    examples: """
      petspot report submit --json | jq -r .managementPassword
      petspot report submit --server https://pets.example.org
      """)

  @OptionGroup var report: ReportOptions

  func perform(in session: ReportSession) async throws {
    let created = try await session.submission.submit(session.flow)
    var answer: JSON = ["announcement": created.announcement.json]
    var lines = [words("summary.heading"), session.audience]
    if let password = created.managementPassword {
      answer = answer.adding(["managementPassword": .string(password)])
      lines += ["", words("status.password") + ": " + password, words("summary.paragraph2")]
    }
    lines += ["", words("status.announcement") + ": " + created.announcement.id]
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
