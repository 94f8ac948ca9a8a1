import Announcements
import Foundation
import HummingbirdCore
import ReportFlow

/// Step 4: the contact details of the reporter (decision 21). Its Continue button leads to the review (decision 40).
struct ContactPage: Sendable {
  let stores: Stores
  let limits: Limits

  /// `GET /report/contact`
  @Sendable func showPage(_ context: RequestContext) async throws -> Response {
    let visit = try await StepVisit(context, in: stores, within: limits)
    if let published = try await visit.seePublished() { return published }
    let draft = await visit.session.draft
    let words = visit.words
    var problems: [ErrorEntry] = []
    let missing = draft.missingSteps.filter { $0 != .contact }
    if draft.refusals[.contact]?.reason == "submit.incomplete", let first = missing.first {
      let titles = missing.map { words($0.title) }.joined(separator: ", ")
      problems = [ErrorEntry(text: words("submit.incomplete", ["steps": titles]), page: first.path)]
    }
    let state = StepState(draft, .contact, .now(), problems: problems)
    let phone = state.texts[.phone] ?? ""
    let isAsked =
      PhoneNumber.looksMistyped(phone)
      && phone.trimmingCharacters(in: .whitespaces) != draft.contactDetails?.phone
    return await visit.page(
      .contact, intro: "contact.subtitle",
      testID: "ownersDetails.continueButton", toastID: "ownersDetails.toast", state,
      fields: stores.asked(FlowStep.contact.fields).map {
        FieldView(
          $0, state.texts[$0] ?? "", errors: state.errors, isFixed: draft.isAnnounced, in: words)
      }, own: ContactView(askedPhone: isAsked ? phone : nil))
  }

  /// `POST /report/contact`
  @Sendable func receive(_ context: RequestContext) async throws -> Response {
    let visit = try await StepVisit(context, in: stores, within: limits)
    let form = try await PostedForm.receive(context, within: limits)
    if let published = try await visit.seePublished() { return published }
    let outcome = try await visit.applyForm(
      form, of: .contact, context: .now(), edit: { $0.edit(form, of: .contact) },
      asks: { before in
        let phone = form["phone"]
        return PhoneNumber.looksMistyped(phone) && form["askedPhone"] != phone
          && phone.trimmingCharacters(in: .whitespaces) != before.contactDetails?.phone
      })
    guard case .moved(FlowStep.summary.path) = outcome else {
      return await visit.answer(outcome, of: .contact)
    }
    guard await visit.session.draft.missingSteps.isEmpty else {
      return try await visit.refuse(.contact, StepRefusal(reason: "submit.incomplete"))
    }
    return visit.see(ReviewPage.path)
  }

  /// `POST /report/contact/typed`
  @Sendable func saveTyped(_ context: RequestContext) async throws -> Response {
    let visit = try await StepVisit(context, in: stores, within: limits)
    let form = try await PostedForm.receive(context, within: limits)
    return try await visit.saveTyped(form, of: .contact) { $0.edit(form, of: .contact) }
  }
}

/// The data that only step 4 has.
struct ContactView {
  /// A number that looks mistyped. The page asks about it once.
  let askedPhone: String?
}
