import Announcements
import Foundation
import HummingbirdCore
import ReportFlow

/// Step 3: the description of the animal (seeds 021, 031 and 046).
struct DescriptionPage: Sendable {
  let stores: Stores
  let limits: Limits

  /// `GET /report/description`
  @Sendable func showPage(_ context: RequestContext) async throws -> Response {
    let visit = try await StepVisit(context, in: stores, within: limits)
    if let published = try await visit.seePublished() { return published }
    return await page(visit)
  }

  /// `POST /report/description`
  @Sendable func receive(_ context: RequestContext) async throws -> Response {
    let visit = try await StepVisit(context, in: stores, within: limits)
    let posted = try await PostedForm.receive(context, within: limits)
    if let published = try await visit.seePublished() { return published }
    if posted.action == .again("speciesList") { await stores.species.refresh(after: .seconds(5)) }
    let usesPhoto = posted.action == .again("photoPosition")
    let form = DescriptionForm(
      posted, photoPosition: usesPhoto ? try await visit.session.photoPosition() : nil,
      taxonomy: await stores.species.taxonomy)
    let outcome = try await visit.applyForm(
      form.posted, of: .description, context: form.context, edit: { form.edit(&$0) },
      asks: form.asks)
    if case .moved(FlowStep.contact.path) = outcome {
      FlowEvents(logger: context.logger).step3Completed(draft: visit.cookie.draft)
    }
    let isContinue = posted.action == .next
    let isPlace = usesPhoto || posted.action == .again("removePlace")
    let anchor = isPlace ? "#place-field" : "#species"
    return await visit.answer(outcome, of: .description, anchor: isContinue ? "" : anchor)
  }

  /// `POST /report/description/typed`
  @Sendable func saveTyped(_ context: RequestContext) async throws -> Response {
    let visit = try await StepVisit(context, in: stores, within: limits)
    let form = DescriptionForm(
      try await PostedForm.receive(context, within: limits), photoPosition: nil,
      taxonomy: await stores.species.taxonomy)
    return try await visit.saveTyped(form.posted, of: .description) { form.edit(&$0) }
  }

  private func page(_ visit: StepVisit) async -> Response {
    let draft = await visit.session.draft
    let words = visit.words
    let today = CalendarDay(Date(), in: .latest)
    let state = StepState(draft, .description, FlowContext(today: today, now: Date()))
    // The day in this machine's time zone, until the browser has sent its own. The script corrects it.
    let shownDay = CalendarDay(Date(), in: .current).description
    var texts = state.texts
    if texts[.date, default: ""].isEmpty { texts[.date] = shownDay }
    let taxonomy = await stores.species.taxonomy
    let species = taxonomy.option(id: texts[.species])
    func field(_ field: FormField, _ help: TextKey? = nil, list: String? = nil) -> FieldView {
      FieldView(
        field, texts[field] ?? "", errors: state.errors, help: help, suggestions: list,
        isFixed: draft.isAnnounced, in: words)
    }
    let fields = FlowStep.description.fields.map { name in
      switch name {
      case .race:
        field(
          .race, species == nil ? "race.chooseSpecies" : nil, list: species.map { "races-\($0.id)" }
        )
      default: field(name)
      }
    }
    let day = texts[.date].flatMap { CalendarDay($0) }
    let counted = draft.animalDescription?.disappearanceDate
    let longAgo = day.flatMap { day in
      DescriptionRules.isLongAgo(day, today: today)
        && day != counted ? words("date.longAgo", ["day": words.day(day)]) : nil
    }
    let future = draft.refusals[.description]?.futureDay.flatMap { CalendarDay($0) }
    let position = try? await visit.session.photoPosition()
    let hasPlace = ![.latitude, .longitude].allSatisfy { texts[$0, default: ""].isEmpty }
    return await visit.page(
      .description, intro: "description.subtitle",
      testID: "animalDescription.continueButton.tap", toastID: "animalDescription.toast", state,
      fields: fields,
      own: DescriptionView(
        shownDate: shownDay, latestDate: today.description, longAgo: longAgo,
        keptDay: future.flatMap { future in
          day.map {
            words("date.kept", ["day": words.day(future), "kept": words.day($0)])
          }
        },
        isDefaultDate: state.texts[.date, default: ""].isEmpty,
        isOffline: await stores.species.isOffline,
        species: taxonomy.options.map {
          ChoiceView($0, chosen: species?.id, races: $0.suggestions(for: "", in: words), in: words)
        },
        genders: ChoiceView.genders(chosen: texts[.gender], in: words),
        photoOffer: hasPlace ? nil : position.map { CoordinateText.photoOffer($0, in: words) },
        hasPlace: hasPlace))
  }
}

/// The data that only step 3 has.
struct DescriptionView {
  /// The day that the form shows before one is chosen, and the last day that can be chosen.
  let shownDate, latestDate: String
  /// The question about a day that is long ago. `nil` if there is nothing to ask.
  let longAgo: String?
  /// The sentence about a day in the future, which isn't accepted.
  let keptDay: String?
  /// `true` if no day was chosen.
  let isDefaultDate: Bool
  /// `true` if the newest list of species couldn't be loaded.
  let isOffline: Bool
  let species: [ChoiceView]
  let genders: [ChoiceView]
  /// The question whether to use the photo's position. `nil` if the photo has none, or the form has coordinates.
  let photoOffer: String?
  /// `true` if the form has coordinates, which can be removed.
  let hasPlace: Bool
}
