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
struct ReportSession {
  let flow: DraftSession
  let environment: FlowEnvironment
  let submission: AnnouncementSubmissionService
  let options: GlobalOptions
  /// Whose announcements the report joins; nil for this machine's.
  let server: ServerAddress?
  private let report: ReportOptions

  /// Opens the draft that `report` names; `stores` are those of `report`, where they are open already.
  init(_ report: ReportOptions, stores: Stores? = nil) async throws {
    let logger = Logger(label: "petspot")
    options = report.options
    (self.report, server) = (report, try report.server.address)
    let stores = try stores ?? options.openStores()
    flow = try await DraftSession(
      draft: report.draft.id, store: stores.drafts, photos: stores.photos, logger: logger)
    environment = FlowEnvironment(
      events: FlowEvents(logger: logger), taxonomy: Self.taxonomy(in: stores.photos.folder, logger))
    submission = AnnouncementSubmissionService(
      to: try report.server.repository(cache: stores.photos.folder.path)
        ?? stores.announcements.creating(in: L10n.words.language))
  }

  var words: Words { L10n.words }

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
      ("--lang", options.language.given?.rawValue), ("--server", report.server.given?.description),
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

  /// The species to choose from.
  var taxonomy: SpeciesTaxonomy { get async { await environment.taxonomy?.taxonomy ?? .bundled } }

  /// Asks for a newer list of species.
  ///
  /// - Returns: whether there is one to ask for and it could not be had.
  func refreshTaxonomy() async -> Bool {
    await environment.taxonomy?.refresh()
    return await environment.taxonomy?.isOffline ?? false
  }

  /// Attaches a photo to the draft, which keeps where it was taken. One that was given up for a later one, or
  /// removed meanwhile, is no error.
  func attach(_ source: PhotoSource, _ decoders: DecoderPool?) async throws {
    let pipeline = PhotoPipeline(policy: flow.photos.policy, decoders: decoders)
    do {
      let photo = try await flow.photos.save(draft: report.draft.id, of: .report) {
        () throws(PhotoError) in try pipeline.prepare(source)
      }
      try await flow.keepPlace(of: photo)
    } catch let error as StoreError where [.cancelled, .superseded, .removed].contains(error) {}
  }

  /// Lets `edit` happen to the draft together with the step's Continue, so that no other process ever sees or
  /// mixes its own with half of them.
  ///
  /// - Parameter edit: returns the errors of what no draft can hold.
  func finish(
    _ step: FlowStep,
    _ edit: @Sendable (inout ReportDraft) -> [ReportFlow.ValidationError] = { _ in [] }
  ) async throws -> FlowOutcome {
    let photo = step == .photo ? try await flow.validPhoto() : nil
    let facts = environment.facts(photoIsValid: photo != nil)
    let outcome = try await flow.change { draft in
      if step == .photo { draft.handle(.photoPlaceForgotten(unless: photo?.id)) }
      let unusable = edit(&draft)
      return draft.finish(step, facts, unusable: unusable)
    }
    if step == .description, case .moved = outcome {
      environment.events.step3Completed(draft: report.draft.id)
    }
    return outcome
  }

  /// Throws when the draft's words are published already: silently keeping the old ones would be
  /// worse than an error.
  func checkEditable() async throws {
    guard await !flow.draft.isAnnounced else { throw Failure.submitted }
  }

  /// Tells what a step's Continue came to, as the contract says.
  ///
  /// - Parameter adjusted: what was not kept of the given texts; always reported.
  func report(
    _ step: FlowStep, _ outcome: FlowOutcome, toast: Toast = .correctThese,
    adjusted: [InputAdjustment] = []
  ) async throws {
    // Submitted while we were at it: what was given here counts for nothing.
    if step != .photo { try await checkEditable() }
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
    case .unchanged, .changed, .left: throw Failure.submitted
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
