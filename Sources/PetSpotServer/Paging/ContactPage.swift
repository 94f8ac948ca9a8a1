import Logging
import Announcements
import Foundation
import HTTPTypes
import Hummingbird
import PhotoAttachments
import ReportFlow

/// Step 4: how to reach the reporter; its Continue publishes the report (decision 21).
struct ContactPage: Sendable {
  let site: Site

  private static let fields = [FormField.name, .phone, .email, .reward]

  /// `GET /report/contact`
  @Sendable func show(_ exchange: Exchange) async throws -> Response {
    let visit = try await StepVisit(exchange, on: site)
    if let summary = await visit.seeSummaryIfSubmitted() { return summary }
    return await page(visit, StepState(await visit.session.draft.fields(of: .contact)))
  }

  /// `POST /report/contact`
  @Sendable func receive(_ exchange: Exchange) async throws -> Response {
    let visit = try await StepVisit(exchange, on: site)
    let form = try await PostedForm.receive(exchange)
    let outcome = try await visit.take(form, of: .contact, facts: .now()) { draft in
      let edits: [(String, (String) -> FlowEdit)] = [
        ("name", FlowEdit.name), ("phone", FlowEdit.phone), ("email", FlowEdit.email),
        ("reward", FlowEdit.reward),
      ]
      for (name, edit) in edits {
        if let text = form.given(name) { draft.handle(.edited(edit(text))) }
      }
      return []
    }
    let typed = Dictionary(uniqueKeysWithValues: Self.fields.map { ($0, form[$0.rawValue]) })
    if case .moved(FlowStep.summary.path) = outcome {
      return await submit(visit, typed: typed)
    }
    if let answer = visit.answer(outcome, of: .contact) { return answer }
    return await page(visit, StepState(outcome, typed: typed))
  }

  /// Publishes what the draft says. Clicks at once, reloads and other tabs end in one announcement,
  /// because all of them use the draft's key.
  private func submit(_ visit: StepVisit, typed: [FormField: String]) async -> Response {
    var state = StepState()
    state.texts = typed
    do {
      try site.clients.count("create", of: visit.exchange.client)
      let service = AnnouncementSubmissionService(to: site.announcements(for: visit.exchange))
      _ = try await service.submit(session: visit.session)
      return visit.see(FlowStep.summary.path)
    } catch SubmissionError.incomplete(let steps) {
      state.status = .unprocessableContent
      state.problems = steps.map { step in
        let title = visit.words(step.title)
        return ErrorLine(
          text: visit.words(.submitIncomplete, ["steps": title]), page: step.path)
      }
    } catch {
      let failure = SubmissionFailure(error, in: visit.words)
      if failure.status.code >= 500 {
        visit.exchange.logger.error("report not submitted", metadata: ["error": "\(error)"])
      }
      (state.status, state.problems) = (failure.status, [failure.line])
      var response = await page(visit, state)
      response.headers[.retryAfter] = ErrorAnswer(cause: error)?.headers[.retryAfter]
      return response
    }
    return await page(visit, state)
  }

  private func page(_ visit: StepVisit, _ state: StepState) async -> Response {
    let isFixed = await visit.session.draft.isAnnounced
    return await visit.page(
      .contact, heading: .contactHeading, intro: .contactSubtitle,
      testID: "ownersDetails.continueButton", toastID: "ownersDetails.toast", state,
      fields: Self.fields.map {
        FieldView(
          $0, state.texts[$0] ?? "", errors: state.errors, isFixed: isFixed, in: visit.words)
      }, own: [String: String]())
  }
}

/// Why a report was not published, with the true reason and what to do.
struct SubmissionFailure {
  let status: HTTPResponse.Status
  let line: ErrorLine

  init(_ error: any Error, in words: Words) {
    switch error {
    case AnnouncementError.duplicateMicrochip:
      status = .conflict
      line = ErrorLine(text: words(.failureDuplicateChip), page: FlowStep.chip.path)
    case AnnouncementError.idempotencyMismatch:
      (status, line) = (.conflict, ErrorLine(text: words(.failureSentOtherwise)))
    case AnnouncementError.keyTaken:
      (status, line) = (.conflict, ErrorLine(text: words(.failureKeyTaken)))
    case SubmissionError.changedMeanwhile:
      (status, line) = (.conflict, ErrorLine(text: words(.failureChangedMeanwhile)))
    case let error as AnnouncementError where error.isInvalid:
      status = .unprocessableContent
      line = ErrorLine(
        text: error.message(in: words, now: Date()), page: FlowStep.description.path)
    case let error as AnnouncementError where error.isThrottled:
      (status, line) = (.tooManyRequests, ErrorLine(text: error.message(in: words, now: Date())))
    case AnnouncementError.crowded:
      (status, line) = (.serviceUnavailable, ErrorLine(text: words(.failureCrowded)))
    case let error as ErrorAnswer:
      (status, line) = (error.status, ErrorLine(text: words(.errorBusy)))
    case let error as StoreError:
      (status, line) = (error.pageStatus, ErrorLine(text: error.message(in: words)))
    default: (status, line) = (.internalServerError, ErrorLine(text: words(.submitOther)))
    }
  }
}

extension AnnouncementError {
  fileprivate var isThrottled: Bool {
    if case .throttled = self { true } else { false }
  }
}

extension StoreError {
  /// The status of a page that says it.
  var pageStatus: HTTPResponse.Status { ErrorAnswer(cause: self)?.status ?? .internalServerError }
}
