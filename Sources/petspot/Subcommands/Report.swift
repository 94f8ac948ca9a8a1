import PetSpotStores
import Announcements
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
    help: ArgumentHelp(
      "Up to 15 digits; what else is in it is left out, and told.", valueName: "text"),
    transform: RawArguments.text)
  var number: String?

  @OptionGroup var report: ReportOptions

  func perform(in session: ReportSession) throws {
    try session.checkEditable()
    let model = ChipNumberViewModel(
      flowState: session.flow, environment: session.environment, words: words)
    let outcome = session.flow.together {
      if let number { model.chipNumber = number }
      return model.continueTapped()
    }
    try session.tell(.chip, outcome, adjusted: Adjustment.of(.chip, number ?? ""))
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
    try options.print(draft.json(photo: photo), orText: session.text(of: session.lines))
  }
}

struct ReportClear: ReportCommand {
  static let configuration = CommandConfiguration(
    commandName: "clear", abstract: "Empty the report and remove its photo.",
    discussion: """
      An announcement that was published stays, see petspot announcements close and erase; when its \
      code was never shown, it is shown now. What was not published yet is taken back.

      EXAMPLES:
        petspot report clear
      """)

  @Flag(help: "Also a report that cannot be read, whatever was in it.")
  var force = false

  @OptionGroup var report: ReportOptions

  func perform() async throws {
    do {
      try await perform(in: ReportSession(report))
    } catch StoreError.database(what: let what, _)
      where force && ["damaged-draft", "newer-draft"].contains(what)
    {
      let stores = try options.openStores()
      try await stores.photos.clear(draft: report.draft.id)
      try await stores.drafts.delete(report.draft.id)
      try tell(nil)
    }
  }

  func perform(in session: ReportSession) async throws {
    let stays = try await session.submission.discard(session.flow)
    // What cannot be shown again is shown whatever else went wrong.
    try tell(stays)
    try session.checkSaved()
  }

  private func tell(_ stays: CreatedAnnouncement?) throws {
    var answer: JSON = ["draft": .string(report.draft.id), "cleared": true]
    var lines = [words(.flowCleared)]
    if let stays, let password = stays.managementPassword {
      answer = answer.adding([
        "announcement": stays.announcement.json, "managementPassword": .string(password),
      ])
      lines += [
        words(.flowClearedButListed), words(.statusPassword) + ": " + password,
        words(.statusAnnouncement) + ": " + stays.announcement.id,
      ]
    }
    if options.json { return try Output.line(answer.line) }
    if !options.quiet || stays != nil { try Output.line(lines.joined(separator: "\n")) }
  }
}
