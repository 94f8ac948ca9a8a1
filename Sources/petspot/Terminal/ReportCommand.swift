import ArgumentParser
import ReportFlow

/// A command that reports errors about announcements and reports in the reader's language. It implements `perform()`
/// instead of `run()`.
protocol ReaderCommand: PetspotCommand, AsyncParsableCommand, Sendable {
  func perform() async throws
}

extension ReaderCommand {
  var words: Words { L10n.words }

  func run() async throws {
    do {
      try await perform()
    } catch {
      throw Failure(reporting: error) ?? error
    }
  }
}

/// A subcommand of `petspot report`, which works on one draft.
protocol ReportCommand: ReaderCommand {
  var report: ReportOptions { get }
  func perform(in session: ReportSession) async throws
}

extension ReportCommand {
  var options: GlobalOptions { report.options }

  func perform() async throws { try await perform(in: await ReportSession(report)) }
}
