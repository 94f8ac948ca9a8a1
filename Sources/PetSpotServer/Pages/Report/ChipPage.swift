import Announcements
import Foundation
import HummingbirdCore
import ReportFlow

/// Step 1: the number of the microchip, which is optional.
struct ChipPage: Sendable {
  let stores: Stores
  let limits: Limits

  /// `GET /report/chip`
  @Sendable func showPage(_ context: RequestContext) async throws -> Response {
    let visit = try await StepVisit(context, in: stores, within: limits)
    if let published = try await visit.seePublished() { return published }
    let draft = await visit.session.draft
    let words = visit.words
    let state = StepState(draft, .chip, .now())
    let field = FieldView(
      .chip, state.texts[.chip] ?? "", errors: state.errors, isFixed: draft.isAnnounced, in: words)
    return await visit.page(
      .chip, intro: nil, testID: "missingPet.microchip.continueButton",
      backID: "missingPet.microchip.backButton", toastID: "missingPet.microchip.toast", state,
      fields: [field], own: try await limits.isFull ? ["full": words("error.full")] : [:])
  }

  /// `POST /report/chip`
  @Sendable func receive(_ context: RequestContext) async throws -> Response {
    let visit = try await StepVisit(context, in: stores, within: limits)
    let form = try await PostedForm.receive(context, within: limits)
    if let published = try await visit.seePublished() { return published }
    let outcome = try await visit.applyForm(
      form, of: .chip, context: .now(), edit: { $0.edit(form, of: .chip) })
    return await visit.answer(outcome, of: .chip)
  }

  /// `POST /report/chip/typed`
  @Sendable func saveTyped(_ context: RequestContext) async throws -> Response {
    let visit = try await StepVisit(context, in: stores, within: limits)
    let form = try await PostedForm.receive(context, within: limits)
    return try await visit.saveTyped(form, of: .chip) { $0.edit(form, of: .chip) }
  }
}

extension FlowContext {
  /// Returns the context for the steps in which the day doesn't matter.
  static func now(photoIsValid: Bool = false) -> FlowContext {
    FlowContext(today: CalendarDay(Date(), in: .gmt), now: Date(), photoIsValid: photoIsValid)
  }
}

extension ReportDraft {
  /// Applies the typed fields of a step to the draft, but not those that are chosen.
  mutating func edit(_ form: PostedForm, of step: FlowStep) -> [ValidationError] {
    for field in step.fields where field.isText {
      if let text = form.given(field.rawValue) { handle(.edited(.typed(field, text))) }
    }
    return []
  }
}
