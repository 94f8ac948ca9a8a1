import PetSpotStores
import Announcements
import ArgumentParser
import Foundation
import Logging
import PhotoAttachments
import ReportFlow
import PhotoIngestion

/// One draft taken up by one command, with everything its steps need.
@MainActor struct ReportSession {
  let flow: ReportMissingPetFlowState
  let environment: FlowEnvironment
  let submission: AnnouncementSubmissionService
  let words: ReportFlow.Words
  let options: GlobalOptions

  /// Opens the draft that `report` names; `position` is one the person gave outright.
  init(_ report: ReportOptions, position: Coordinate? = nil) throws {
    let logger = Logger(label: "petspot")
    (options, words) = (report.options, report.language.words)
    let stores = try options.openStores()
    flow = try ReportMissingPetFlowState(
      draft: report.draft.id, store: stores.drafts, photos: stores.photos, logger: logger)
    environment = FlowEnvironment(
      location: FixedLocationService(position), events: FlowEvents(logger: logger),
      taxonomy: Self.taxonomy(in: stores.photos.folder, logger))
    submission = AnnouncementSubmissionService(
      to: try report.server.repository(cache: stores.photos.folder.path) ?? stores.announcements)
  }

  /// The list of species; `PETSPOT_TAXONOMY` names the file or web address of a newer one.
  private static func taxonomy(in folder: CacheFolder, _ logger: Logger) -> TaxonomySource? {
    guard let named = getenv("PETSPOT_TAXONOMY").map({ String(cString: $0) }), !named.isEmpty else {
      return nil
    }
    return TaxonomySource(
      named: named, copy: URL(filePath: folder.path + "/species.json"), logger: logger)
  }

  /// Prepares photos in worker processes.
  func intake(_ decoders: DecoderPool?) -> PhotoIntake {
    .pipeline(PhotoPipeline(policy: flow.photos.policy, decoders: decoders))
  }

  /// Throws when the last change is not on disk.
  func checkSaved() throws(StoreError) {
    if let failure = flow.saveFailure { throw failure }
  }

  /// Throws when the draft's words are published already: silently keeping the old ones would be
  /// worse than an error.
  func checkEditable() throws {
    guard !flow.draft.isAnnounced else {
      throw ReportFailure(code: "submitted", message: words(.flowSubmitted), exitCode: 65)
    }
  }

  /// Tells what a step's Continue came to, as the contract says.
  func tell(_ step: FlowStep, _ outcome: FlowOutcome, toast: Toast = .correctFields) throws {
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
        try Output.line(answer.line)
      }
      Output.note("petspot: " + toast.message(in: words))
      for error in errors { Output.note("  \(error.field.rawValue): \(error.message(in: words))") }
      throw ExitCode(65)
    case .moved(let next):
      try options.print(
        [
          "step": .string(step.rawValue), "canContinue": true, "next": .string(next.rawValue),
        ],
        orText: words(.stepDone, ["step": words(step.title), "next": words(next.title)]))
    case .unchanged, .changed, .left:
      throw ReportFailure(code: "submitted", message: words(.flowSubmitted), exitCode: 65)
    }
  }
}
