import Announcements
import ArgumentParser
import ReportFlow

/// `petspot report contact`: fills in step 4, the reporter's contact details.
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

  func perform(in session: ReportSession) async throws {
    try await session.checkEditable()
    let texts: [(FormField, String?)] = [
      (.name, name), (.phone, phone), (.email, email), (.reward, reward),
    ]
    let outcome = try await session.finish(.contact) { $0.type(texts) }
    try await session.report(
      .contact, outcome, adjusted: texts.flatMap { InputAdjustment.of($0, $1 ?? "") })
  }
}

/// `petspot report submit`: publishes the report and prints the code for its announcement.
struct ReportSubmit: ReportCommand {
  static let configuration = CommandConfiguration(
    named: "submit", "help.report.submit.abstract", "help.report.submit.discussion",
    examples: """
      petspot report submit --json | jq -r .managementPassword
      petspot report submit --server https://pets.example.org
      """)

  @OptionGroup var report: ReportOptions

  func perform(in session: ReportSession) async throws {
    let created = try await session.submission.submit(session: session.flow)
    var answer: JSON = ["announcement": created.announcement.json]
    var lines = [words("summary.heading"), session.audience]
    if let password = created.managementPassword {
      answer = answer.adding(["managementPassword": password])
      lines += ["", words("status.password") + ": " + password, words("summary.paragraph2")]
    }
    lines += ["", words("status.announcement") + ": " + created.announcement.id]
    try options.print(
      answer, orText: lines.joined(separator: "\n"),
      isEssential: created.managementPassword != nil)
    // Forget the code only after it was really printed.
    try await session.flow.record(.passwordShown)
  }
}

extension ReportDraft {
  /// Stores the given texts in their fields.
  ///
  /// - Returns: always an empty array, because a draft can hold any text.
  mutating func type(_ texts: [(FormField, String?)]) -> [ReportFlow.ValidationError] {
    for case (let field, let text?) in texts { handle(.edited(.typed(field, text))) }
    return []
  }
}
