import ArgumentParser
import Foundation
import ReportFlow

/// A command whose work lives on the main actor, where the flow's models are.
protocol MainActorCommand: PetspotCommand, AsyncParsableCommand, Sendable {
  var words: Words { get }
  @MainActor func perform() async throws
}

extension MainActorCommand {
  mutating func run() async throws {
    let command = self
    do {
      try await command.perform()
    } catch {
      throw ReportFailure(error, in: words) ?? error
    }
  }
}

/// A command that works on one draft.
protocol ReportCommand: MainActorCommand {
  var report: ReportOptions { get }
  @MainActor func perform(in session: ReportSession) async throws
}

extension ReportCommand {
  var options: GlobalOptions { report.options }
  var words: Words { report.language.words }

  @MainActor func perform() async throws {
    try await perform(in: ReportSession(report))
  }
}
