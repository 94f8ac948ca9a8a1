import Announcements
import Foundation
import HummingbirdCore
import ReportFlow

/// Step 1: the microchip's number, which may be left out.
struct ChipPage: Sendable {
  let site: Site

  /// `GET /report/chip`
  @Sendable func show(_ context: RequestContext) async throws -> Response {
    let visit = try await StepVisit(context, on: site)
    if let summary = await visit.seeSummaryIfSubmitted() { return summary }
    return await page(visit, StepState(await visit.session.draft.fields(of: .chip)))
  }

  /// `POST /report/chip`
  @Sendable func receive(_ context: RequestContext) async throws -> Response {
    let visit = try await StepVisit(context, on: site)
    let form = try await PostedForm.receive(context, on: site)
    let outcome = try await visit.take(
      form, of: .chip, facts: .now(), edit: { $0.edit(form, of: .chip) })
    if let answer = visit.answer(outcome, of: .chip) { return answer }
    return await page(visit, StepState(outcome, typed: form.texts(of: .chip)))
  }

  /// `POST /report/chip/typed`
  @Sendable func keep(_ context: RequestContext) async throws -> Response {
    let visit = try await StepVisit(context, on: site)
    let form = try await PostedForm.receive(context, on: site)
    return try await visit.keep(form, of: .chip) { $0.edit(form, of: .chip) }
  }

  private func page(_ visit: StepVisit, _ state: StepState) async -> Response {
    let field = FieldView(
      .chip, state.texts[.chip] ?? "", errors: state.errors,
      isFixed: await visit.session.draft.isAnnounced, in: visit.words)
    return await visit.page(
      .chip, intro: nil, testID: "missingPet.microchip.continueButton",
      backID: "missingPet.microchip.backButton", toastID: "missingPet.microchip.toast", state,
      fields: [field], own: [String: String]())
  }
}

extension FlowFacts {
  /// The moment, where no day matters.
  static func now(photoIsValid: Bool = false) -> FlowFacts {
    FlowFacts(today: CalendarDay(Date(), in: .gmt), now: Date(), photoIsValid: photoIsValid)
  }
}

extension PostedForm {
  /// What was typed in the fields of a step.
  func texts(of step: FlowStep) -> [FormField: String] {
    Dictionary(uniqueKeysWithValues: step.fields.map { ($0, self[$0.rawValue]) })
  }
}

extension ReportDraft {
  /// Brings what was typed in a step's fields into the draft, without those that are chosen.
  mutating func edit(_ form: PostedForm, of step: FlowStep) -> [ValidationError] {
    for field in step.fields where field.isText {
      if let text = form.given(field.rawValue) { handle(.edited(.typed(field, text))) }
    }
    return []
  }
}
