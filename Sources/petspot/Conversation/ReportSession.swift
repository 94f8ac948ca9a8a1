import PetSpotStores
import Announcements
import ArgumentParser
import Foundation
import Logging
import AnnouncementsHTTP
import PhotoAttachments
import ReportFlow
import PhotoIngestion
import SystemPackage

/// One draft taken up by one command, with everything its steps need.
@MainActor struct ReportSession {
  let flow: ReportMissingPetFlowState
  let environment: FlowEnvironment
  let submission: AnnouncementSubmissionService
  let words: Words
  let options: GlobalOptions
  /// Whose announcements the report joins; nil for this machine's.
  let server: ServerAddress?
  private let report: ReportOptions

  /// Opens the draft that `report` names; `position` is one the person gave outright, and `stores` are
  /// those of `report`, where they are open already.
  init(_ report: ReportOptions, position: Coordinate? = nil, stores: Stores? = nil) throws {
    let logger = Logger(label: "petspot")
    (options, words) = (report.options, report.language.words)
    (self.report, server) = (report, try report.server.address)
    let stores = try stores ?? options.openStores()
    flow = try ReportMissingPetFlowState(
      draft: report.draft.id, store: stores.drafts, photos: stores.photos, logger: logger)
    environment = FlowEnvironment(
      location: FixedLocationService(position), events: FlowEvents(logger: logger),
      taxonomy: Self.taxonomy(in: stores.photos.folder, logger))
    submission = AnnouncementSubmissionService(
      to: try report.server.repository(cache: stores.photos.folder.path) ?? stores.announcements)
  }

  /// Who can see the report once it is published.
  var audience: String { words(server == nil ? "summary.localList" : "summary.paragraph1") }

  /// Who will see it.
  var audienceBefore: String {
    server.map { words("talk.audienceServer", ["server": "\($0)"]) }
      ?? words("talk.audienceLocal", ["folder": ReadableText.escaped(options.cacheFolder.path)])
  }

  /// The command that takes this report up again, with the options that it was begun with.
  var command: String {
    let given = [
      ("--draft", report.draft.id == "default" ? nil : report.draft.id),
      ("--lang", report.language.given?.rawValue), ("--server", report.server.given?.description),
      ("--cache", options.givenCache?.string),
    ]
    return given.reduce("petspot report") { line, option in
      option.1.map { "\(line) \(option.0) \(ShellWords.quoted($0))" } ?? line
    }
  }

  /// The list of species; `PETSPOT_TAXONOMY` names the file or web address of a newer one.
  private static func taxonomy(in folder: CacheFolder, _ logger: Logger) -> TaxonomySource? {
    guard let named = getenv("PETSPOT_TAXONOMY").map({ String(cString: $0) }), !named.isEmpty else {
      return nil
    }
    return TaxonomySource(
      named: named, copy: URL(filePath: folder.path + "/species.json"), logger: logger)
  }

  /// Makes the steps; photos are prepared in worker processes.
  func coordinator(_ decoders: DecoderPool? = nil) -> ReportMissingPetCoordinator {
    ReportMissingPetCoordinator(
      flowState: flow, environment: environment,
      intake: .pipeline(PhotoPipeline(policy: flow.photos.policy, decoders: decoders)),
      submission: submission, words: words)
  }

  /// Throws when the last change is not on disk.
  func checkSaved() throws(StoreError) {
    if let failure = flow.saveFailure { throw failure }
  }

  /// Throws when the draft's words are published already: silently keeping the old ones would be
  /// worse than an error.
  func checkEditable() throws {
    guard !flow.draft.isAnnounced else {
      throw ReportFailure(code: "submitted", message: words("flow.submitted"), exitCode: 65)
    }
  }

  /// Tells what a step's Continue came to, as the contract says.
  ///
  /// - Parameter adjusted: what was not kept of the given texts; always reported.
  func report(
    _ step: FlowStep, _ outcome: FlowOutcome, toast: Toast = .correctThese,
    adjusted: [InputAdjustment] = []
  ) throws {
    try checkSaved()
    // Submitted while we were at it: what was given here counts for nothing.
    if step != .photo { try checkEditable() }
    switch outcome {
    case .refused(let errors):
      if options.json {
        let answer: JSON = [
          "step": .string(step.rawValue), "canContinue": false,
          "errors": errors.json(in: words), "toast": toast.json(in: words),
        ]
        try Output.line(answer.adding(adjusted.json(in: words)).line)
      }
      report(adjusted)
      Output.note("petspot: " + toast.message(in: words) + (toast == .correctThese ? ":" : ""))
      for error in errors {
        Output.note(
          "  "
            + (error == .missingPhoto
              ? words("report.photo.missing")
              : "\(words(error.field.name)): \(error.message(in: words))"))
      }
      throw ExitCode(65)
    case .moved(let next):
      let answer: JSON = [
        "step": .string(step.rawValue), "canContinue": true, "next": .string(next.rawValue),
      ]
      report(adjusted)
      try options.print(
        answer.adding(adjusted.json(in: words)),
        orText: words("step.done", ["step": words(step.title), "next": words(next.title)]))
    case .unchanged, .changed, .left:
      throw ReportFailure(code: "submitted", message: words("flow.submitted"), exitCode: 65)
    }
  }

  /// Tells people what was not kept.
  private func report(_ adjusted: [InputAdjustment]) {
    for one in adjusted {
      Output.note(
        "petspot: \(words(one.field.name)): " + ReadableText.escaped(one.message(in: words)))
    }
  }
}
