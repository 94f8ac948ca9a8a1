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

/// A command's session on one draft, with everything that the report's steps need.
struct ReportSession {
  let flow: DraftSession
  let environment: FlowEnvironment
  let submission: AnnouncementSubmissionService
  let options: GlobalOptions
  /// The server that the report is published on. `nil` means this machine.
  let server: ServerAddress?
  private let report: ReportOptions

  /// Opens the draft that `report` names. Pass `stores` if the stores of `report` are already open.
  init(_ report: ReportOptions, stores: Stores? = nil) async throws {
    let logger = Logger(label: "petspot")
    options = report.options
    self.report = report
    server = try report.server.address
    let stores = try stores ?? options.openStores()
    flow = try await DraftSession(
      draft: report.draft.id, store: stores.drafts, photos: stores.photos, logger: logger)
    environment = FlowEnvironment(
      events: FlowEvents(logger: logger), taxonomy: Self.taxonomy(in: stores.photos.folder, logger))
    submission = AnnouncementSubmissionService(
      to: try report.server.repository(cache: stores.photos.folder.path)
        ?? stores.announcements.creatingAnnouncements(in: L10n.words.language))
  }

  var words: Words { L10n.words }

  /// The text after publication that describes who can see the report.
  var audience: String { words(server == nil ? "summary.localList" : "summary.paragraph1") }

  /// The text before publication that describes who will see the report.
  var audienceBefore: String {
    server.map { words("talk.audienceServer", ["server": "\($0)"]) }
      ?? words("talk.audienceLocal", ["folder": ReadableText.escaped(options.cacheFolder.path)])
  }

  /// The command line that resumes this report, with the options of this invocation.
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

  /// Returns the source of the species list. `PETSPOT_TAXONOMY` names the file or web address of a newer list.
  private static func taxonomy(in folder: CacheFolder, _ logger: Logger) -> TaxonomySource? {
    guard let named = getenv("PETSPOT_TAXONOMY").map({ String(cString: $0) }), !named.isEmpty else {
      return nil
    }
    return TaxonomySource(
      named: named, copy: URL(filePath: folder.path + "/species.json"), logger: logger)
  }

  /// The available species.
  var taxonomy: SpeciesTaxonomy { get async { await environment.taxonomy?.taxonomy ?? .bundled } }

  /// Fetches a newer list of species, if a source is configured.
  ///
  /// - Returns: `true` if a source is configured but could not be reached.
  func refreshTaxonomy() async -> Bool {
    await environment.taxonomy?.refresh()
    return await environment.taxonomy?.isOffline ?? false
  }

  /// Attaches a photo to the draft and saves the place where it was taken. Ignores the error if the photo was canceled,
  /// replaced by a later one, or removed in the meantime.
  func attach(_ source: PhotoSource, _ decoding: PhotoDecoding) async throws {
    let pipeline = PhotoPipeline(policy: flow.photos.policy, decoding: decoding)
    do {
      let photo = try await flow.photos.save(draft: report.draft.id, of: .report) {
        () throws(PhotoError) in try pipeline.prepare(source)
      }
      try await flow.keepPlace(of: photo)
    } catch let error as StoreError where [.cancelled, .superseded, .removed].contains(error) {}
  }

  /// Applies `edit` to the draft and completes the step (Continue in the web form), as one change. Other processes
  /// never see only one of the two, and can't make a change in between.
  ///
  /// - Parameter edit: changes the draft and returns errors for values that a draft can't store.
  func finish(
    _ step: FlowStep,
    _ edit: @Sendable (inout ReportDraft) -> [ReportFlow.ValidationError] = { _ in [] }
  ) async throws -> FlowOutcome {
    let photo = step == .photo ? try await flow.validPhoto() : nil
    let context = environment.context(photoIsValid: photo != nil)
    let outcome = try await flow.change { draft in
      if step == .photo { draft.handle(.photoPlaceForgotten(unless: photo?.id)) }
      let unusable = edit(&draft)
      return draft.finish(step, context, unusable: unusable)
    }
    if step == .description, case .moved = outcome {
      environment.events.step3Completed(draft: report.draft.id)
    }
    return outcome
  }

  /// Throws if the draft's text is already published. Otherwise the changes would be ignored silently.
  func checkEditable() async throws {
    guard await !flow.draft.isAnnounced else { throw Failure.submitted }
  }

  /// Prints the outcome of a step's Continue in the documented format.
  ///
  /// - Parameter adjusted: parts of the given texts that were not kept. They are always reported.
  func report(
    _ step: FlowStep, _ outcome: FlowOutcome, toast: Toast = .correctThese,
    adjusted: [InputAdjustment] = []
  ) async throws {
    // If the report was submitted in the meantime, the given values have no effect.
    if step != .photo { try await checkEditable() }
    switch outcome {
    case .refused(let errors):
      if options.json {
        let answer: JSON = [
          "step": step.rawValue, "canContinue": false, "errors": errors.json(in: words),
          "toast": toast.json(in: words),
        ]
        try Output.line(answer.adding(adjusted.json(in: words)).line)
      }
      report(adjusted)
      Output.printNote("petspot: " + toast.message(in: words) + (toast == .correctThese ? ":" : ""))
      for error in errors {
        Output.printNote(
          "  "
            + (error == .missingPhoto
              ? words("report.photo.missing")
              : "\(words(error.field.name)): \(error.message(in: words))"))
      }
      throw ExitCode(65)
    case .moved(let next):
      let answer: JSON = ["step": step.rawValue, "canContinue": true, "next": next.rawValue]
      report(adjusted)
      try options.print(
        answer.adding(adjusted.json(in: words)),
        orText: words("step.done", ["step": words(step.title), "next": words(next.title)]))
    case .unchanged, .changed, .left: throw Failure.submitted
    }
  }

  /// Prints what was not kept.
  private func report(_ adjusted: [InputAdjustment]) {
    for one in adjusted {
      Output.printNote(
        "petspot: \(words(one.field.name)): " + ReadableText.escaped(one.message(in: words)))
    }
  }
}
