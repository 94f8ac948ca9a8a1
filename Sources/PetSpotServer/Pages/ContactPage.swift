import Announcements
import Foundation
import HTTPTypes
import HummingbirdCore
import ReportFlow

/// Step 4: how to reach the reporter (decision 21); its Continue leads to the review (decision 40).
struct ContactPage: Sendable {
  let site: Site

  /// `GET /report/contact`
  @Sendable func show(_ context: RequestContext) async throws -> Response {
    let visit = try await StepVisit(context, on: site)
    if let summary = await visit.seeSummaryIfSubmitted() { return summary }
    return await page(visit, StepState(await visit.session.draft.fields(of: .contact)))
  }

  /// `POST /report/contact`
  @Sendable func receive(_ context: RequestContext) async throws -> Response {
    let visit = try await StepVisit(context, on: site)
    let form = try await PostedForm.receive(context, on: site)
    let outcome = try await visit.take(
      form, of: .contact, facts: .now(), edit: { $0.edit(form, of: .contact) })
    let typed = form.texts(of: .contact)
    if case .moved(FlowStep.summary.path) = outcome {
      let missing = await visit.session.draft.missingSteps
      guard let first = missing.first else { return visit.see(ReviewPage.path) }
      var state = StepState()
      (state.texts, state.status) = (typed, .unprocessableContent)
      let titles = missing.map { visit.words($0.title) }.joined(separator: ", ")
      state.problems = [
        ErrorEntry(text: visit.words(.submitIncomplete, ["steps": titles]), page: first.path)
      ]
      return await page(visit, state)
    }
    if let answer = visit.answer(outcome, of: .contact) { return answer }
    return await page(visit, StepState(outcome, typed: typed))
  }

  /// `POST /report/contact/typed`
  @Sendable func keep(_ context: RequestContext) async throws -> Response {
    let visit = try await StepVisit(context, on: site)
    let form = try await PostedForm.receive(context, on: site)
    return try await visit.keep(form, of: .contact) { $0.edit(form, of: .contact) }
  }

  private func page(_ visit: StepVisit, _ state: StepState) async -> Response {
    let isFixed = await visit.session.draft.isAnnounced
    return await visit.page(
      .contact, intro: .contactSubtitle,
      testID: "ownersDetails.continueButton", toastID: "ownersDetails.toast", state,
      fields: FlowStep.contact.fields.map {
        FieldView(
          $0, state.texts[$0] ?? "", errors: state.errors, isFixed: isFixed, in: visit.words)
      }, own: [String: String]())
  }
}
