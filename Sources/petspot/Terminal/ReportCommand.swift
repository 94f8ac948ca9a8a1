import ArgumentParser
import ReportFlow

/// A command whose errors are in the reader's language.
protocol ReaderCommand: PetspotCommand, AsyncParsableCommand, Sendable {
  var words: Words { get }
  func perform() async throws
}

extension ReaderCommand {
  func run() async throws {
    do {
      try await perform()
    } catch {
      throw ReportFailure(error, in: words) ?? error
    }
  }
}

/// A command that works on one draft.
protocol ReportCommand: ReaderCommand {
  var report: ReportOptions { get }
  func perform(in session: ReportSession) async throws
}

extension ReportCommand {
  var options: GlobalOptions { report.options }
  var words: Words { report.language.words }

  func perform() async throws { try await perform(in: await ReportSession(report)) }
}
