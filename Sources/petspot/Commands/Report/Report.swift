import PetSpotStores
import Announcements
import ArgumentParser
import Foundation
import PhotoAttachments
import ReportFlow

/// `petspot report`: the group of commands for one report.
struct Report: ParsableCommand {
  static let configuration = CommandConfiguration(
    "help.report.abstract", "help.report.discussion",
    examples: """
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

/// `petspot report chip`: fills in step 1, the microchip number.
struct ReportChip: ReportCommand {
  static let configuration = CommandConfiguration(
    named: "chip", "help.report.chip.abstract",
    examples: """
      petspot report chip --number 616-093-900-012-345
      """)

  @Option(text: "help.report.chip.number")
  var number: String?

  @OptionGroup var report: ReportOptions

  func perform(in session: ReportSession) async throws {
    try await session.checkEditable()
    let outcome = try await session.finish(.chip) { $0.type([(.chip, number)]) }
    try await session.report(.chip, outcome, adjusted: InputAdjustment.of(.chip, number ?? ""))
  }
}

/// `petspot report status`: prints a draft. Creates no store.
struct ReportStatus: ReportCommand {
  static let configuration = CommandConfiguration(
    named: "status", "help.report.status.abstract",
    examples: """
      petspot report status --json
      """)

  @OptionGroup var report: ReportOptions

  func perform() async throws {
    guard let stores = try options.openStoresIfThere() else {
      return try printStatus(ReportDraft(id: report.draft.id, submissionKey: UUID()), .empty)
    }
    try await perform(in: await ReportSession(report, stores: stores))
  }

  func perform(in session: ReportSession) async throws {
    let draft = await session.flow.draft
    try printStatus(draft, try await session.flow.photos.status(draft: draft.id))
  }

  private func printStatus(_ draft: ReportDraft, _ photo: PhotoAttachmentStatus) throws {
    try options.print(
      draft.json(photo: photo), orText: ReportDraft.text(of: draft.lines(with: photo, in: words)))
  }
}

/// `petspot report clear`: deletes a draft. With `--force`, it also deletes one that can't be read.
struct ReportClear: ReportCommand {
  static let configuration = CommandConfiguration(
    named: "clear", "help.report.clear.abstract", "help.report.clear.discussion",
    examples: """
      petspot report clear
      """)

  @Flag(help: .words("help.report.clear.force"))
  var force = false

  @OptionGroup var report: ReportOptions

  func perform() async throws {
    do {
      try await perform(in: await ReportSession(report))
    } catch StoreError.database(let problem, _)
      where force && [.damagedDraft, .newerDraft].contains(problem)
    {
      let stores = try options.openStores()
      try await stores.photos.remove(draft: report.draft.id)
      try await stores.drafts.delete(report.draft.id)
      try printDeletion(nil)
    }
  }

  func perform(in session: ReportSession) async throws {
    try printDeletion(try await session.submission.discard(session: session.flow))
  }

  /// Prints that the draft was deleted. If its announcement stays published, also prints the code for it.
  private func printDeletion(_ stays: CreatedAnnouncement?) throws {
    var answer: JSON = ["draft": report.draft.id, "cleared": true]
    var lines = [words("flow.cleared")]
    if let stays, let password = stays.managementPassword {
      answer = answer.adding([
        "announcement": stays.announcement.json, "managementPassword": password,
      ])
      lines += [
        words("flow.clearedButListed"), words("status.password") + ": " + password,
        words("status.announcement") + ": " + stays.announcement.id,
      ]
    }
    try options.print(
      answer, orText: lines.joined(separator: "\n"), isEssential: stays != nil)
  }
}
