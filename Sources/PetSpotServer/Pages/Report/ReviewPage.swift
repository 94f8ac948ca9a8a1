import Announcements
import Foundation
import HTTPTypes
import HummingbirdCore
import Logging
import PhotoAttachments
import PhotoIngestion
import ReportFlow

/// The page between step 4 and the summary. It shows everything that others will see, and a button to publish it
/// (decision 40).
struct ReviewPage: Sendable {
  let stores: Stores
  let limits: Limits

  static let path = "/report/review"

  /// `GET /report/review`: redirects an incomplete report to its first missing step.
  @Sendable func showPage(_ context: RequestContext) async throws -> Response {
    let visit = try await StepVisit(context, in: stores, within: limits)
    if let published = try await visit.seePublished() { return published }
    let refusal = await visit.session.draft.refusals[.summary]
    let problems = refusal.map {
      [ErrorEntry($0, in: visit.words)] + ErrorEntry.links(of: $0, in: stores, visit.words)
    }
    return try await page(visit, problems: problems ?? [], .ok)
  }

  /// `POST /report/review`: publishes the report that the page showed. Simultaneous clicks, reloads and other tabs
  /// create only one announcement, because all of them use the draft's key.
  @Sendable func publish(_ context: RequestContext) async throws -> Response {
    let visit = try await StepVisit(context, in: stores, within: limits)
    let form = try await PostedForm.receive(context, within: limits)
    if let published = try await visit.seePublished() { return published }
    guard let contents = try await contents(of: visit) else {
      let step = await visit.session.draft.missingSteps.first ?? .photo
      return try await visit.refuse(step, StepRefusal(reason: "review.stepOpen"))
    }
    if let seen = form.given("seen"), seen != contents.fingerprint {
      return try await visit.refuse(.summary, StepRefusal(reason: "review.changed"))
    }
    do {
      try limits.clients.count(.create, of: context.client)
      let service = AnnouncementSubmissionService(
        to: stores.announcements(for: context).creatingAnnouncements(in: visit.words.language))
      _ = try await service.submit(session: visit.session)
      return await visit.seeSummary()
    } catch SubmissionError.incomplete(let steps) {
      return try await visit.refuse(steps.first ?? .photo, StepRefusal(reason: "review.stepOpen"))
    } catch {
      if var refusal = StepRefusal(error) {
        if case AnnouncementError.duplicateMicrochip = error {
          let chip = await visit.session.draft.chipNumber
          refusal.other = try await stores.announcements.id(ofListedChip: chip)
        }
        return try await visit.refuse(.summary, refusal)
      }
      let failure = SubmissionFailure(error, in: visit.words)
      if failure.status.code >= 500 {
        context.logger.error("report not submitted", metadata: ["error": "\(error)"])
      }
      var response = try await page(visit, problems: [failure.line], failure.status)
      response.headers[.retryAfter] = ErrorResponse(cause: error)?.headers[.retryAfter]
      return response
    }
  }

  private struct Contents {
    let announcement: Announcement
    let photo: PhotoAttachmentMetadata
    /// A hash for comparing two states of the report, without their texts.
    let fingerprint: String
  }

  /// Returns the report and its photo. `nil` unless all steps are complete and the photo is valid.
  private func contents(of visit: StepVisit) async throws -> Contents? {
    let draft = await visit.session.draft
    guard draft.missingSteps.isEmpty, let report = NewAnnouncement(draft),
      let photo = try await visit.session.validPhoto(),
      let announcement = report.announcement(at: Date(), logger: visit.context.logger)
    else { return nil }
    let text = try report.fingerprint + photo.id.uuidString
    return Contents(
      announcement: announcement, photo: photo,
      fingerprint: String(sha256(of: Array(text.utf8)).prefix(16)))
  }

  private func page(
    _ visit: StepVisit, problems: [ErrorEntry], _ status: HTTPResponse.Status
  ) async throws -> Response {
    let draft = await visit.session.draft
    guard let contents = try await contents(of: visit) else {
      let step = draft.missingSteps.first ?? .photo
      return draft.completedSteps.contains(.contact)
        ? try await visit.refuse(step, StepRefusal(reason: "review.stepOpen"))
        : visit.see(step.path)
    }
    let words = visit.words
    var head = PageHead(words("review.title"), isSecret: true)
    head.status = status
    head.errors = problems
    head.returnTo = Self.path
    return visit.renderer.page(
      "review",
      ReviewView(
        seen: contents.fingerprint, card: CardView(contents.photo, in: words),
        announcement: AnnouncementView(contents.announcement, in: words),
        hidden: stores.asked([.chip, .email]).map { field in
          let text = draft.text(of: field)
          return .init(
            name: words(field.name), text: text.isEmpty ? words("page.nothing") : text,
            change: field == .email ? FlowStep.contact.path + "#email" : nil)
        }),
      head, cookies: [visit.cookie.setCookie])
  }
}

/// The data of the review.
struct ReviewView {
  let seen: String
  let card: CardView
  let announcement: AnnouncementView
  /// The fields that others won't see.
  let hidden: [AnnouncementView.Fact]
}

extension StepRefusal {
  /// Creates the refusal of a report if its error won't go away by itself. Fails for any other error.
  fileprivate init?(_ error: any Error) {
    switch error {
    case AnnouncementError.duplicateMicrochip: self.init(reason: "failure.duplicate-microchip")
    case AnnouncementError.idempotencyMismatch: self.init(reason: "failure.idempotency-mismatch")
    case AnnouncementError.keyTaken: self.init(reason: "failure.key-taken")
    case SubmissionError.changedMeanwhile: self.init(reason: "failure.changedMeanwhile")
    case AnnouncementError.invalid(let fields): self.init(invalidFields: fields)
    default: return nil
    }
  }
}

extension ErrorEntry {
  /// Creates the reason why a report was not published.
  fileprivate init(_ refusal: StepRefusal, in words: Words) {
    if let reason = refusal.reason {
      let isChip = reason == "failure.duplicate-microchip"
      self.init(text: words(reason), page: isChip ? FlowStep.chip.path : nil)
    } else {
      let error = AnnouncementError.invalid(refusal.invalidFields)
      self.init(text: error.message(in: words, now: Date()), page: FlowStep.description.path)
    }
  }
}

/// Why a report couldn't be published this time, and what the visitor can do.
struct SubmissionFailure {
  let status: HTTPResponse.Status
  let line: ErrorEntry

  init(_ error: any Error, in words: Words) {
    switch error {
    case let error as AnnouncementError where error.isThrottled:
      status = .tooManyRequests
      line = ErrorEntry(text: error.message(in: words, now: Date()))
    case let error as ErrorResponse:
      status = error.status
      line = ErrorEntry(text: words(error.cause.problemText ?? "error.busy"))
    case let error as StoreError:
      status = error.pageStatus
      line = ErrorEntry(text: error.pageText(in: words))
    default: (status, line) = (.internalServerError, ErrorEntry(text: words("submit.other")))
    }
  }
}

extension AnnouncementError {
  fileprivate var isThrottled: Bool {
    switch self {
    case .throttled, .spaceUsedUp: true
    default: false
    }
  }
}

extension StoreError {
  /// Returns the text for visitors, who can do nothing about a store.
  func pageText(in words: Words) -> String {
    ErrorResponse(cause: self)?.cause.problemText.map { words($0) } ?? message(in: words)
  }

  /// The status of a page with this text.
  var pageStatus: HTTPResponse.Status { ErrorResponse(cause: self)?.status ?? .internalServerError }
}
