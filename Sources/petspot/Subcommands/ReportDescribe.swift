import Announcements
import ArgumentParser
import ReportFlow

struct ReportDescribe: ReportCommand {
  static let configuration = CommandConfiguration(
    commandName: "describe", abstract: "Step 3: what the animal is like.",
    discussion: """
      What is not given stays as it was; an empty text empties a field. Everything that is wrong is \
      told at once.

      EXAMPLES:
        petspot report describe --species dog --race Beagle --gender female --age 4
        petspot report describe --latitude 52.2297 --longitude 21.0122
      """)

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The day of the disappearance, today by default; also 22.11.2026 or yesterday.",
      valueName: "yyyy-mm-dd"),
    transform: RawArguments.text)
  var date: String?

  @Flag(help: "Take a day more than 20 years back, which is refused as a mistyped year else.")
  var longAgo = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("dog, cat, bird, rabbit, rodent, reptile or other.", valueName: "id"),
    transform: RawArguments.text)
  var species: String?

  @Option(
    parsing: .unconditional, help: ArgumentHelp("The breed.", valueName: "text"),
    transform: RawArguments.text)
  var race: String?

  @Option(
    parsing: .unconditional, help: ArgumentHelp("male or female.", valueName: "gender"),
    transform: RawArguments.text)
  var gender: String?

  @Option(
    parsing: .unconditional, help: ArgumentHelp("Whole years, 0 for unknown.", valueName: "n"),
    transform: RawArguments.text)
  var age: String?

  @Option(
    parsing: .unconditional, help: ArgumentHelp("The pet's name.", valueName: "text"),
    transform: RawArguments.text)
  var name: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Degrees north, or both numbers, 52.2297, 21.0122.", valueName: "n"),
    transform: RawArguments.text)
  var latitude: String?

  @Option(
    parsing: .unconditional, help: ArgumentHelp("Degrees east.", valueName: "n"),
    transform: RawArguments.text)
  var longitude: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("What else there is to say, up to 500 characters.", valueName: "text"),
    transform: RawArguments.text)
  var description: String?

  @OptionGroup var report: ReportOptions

  func perform(in session: ReportSession) async throws {
    try session.checkEditable()
    let model = AnimalDescriptionViewModel(
      flowState: session.flow, environment: session.environment, words: words)
    await model.refreshTaxonomy()
    if model.isTaxonomyOffline, !options.quiet { Output.note(words(.speciesOffline)) }
    let adjusted = Adjustment.of(.description, description ?? "")
    let outcome = session.flow.together {
      let unusable = fill(model, today: session.environment.today)
      guard !unusable.isEmpty else { return model.continueTapped() }
      session.flow.handle(.reopened(.description))
      let fields = unusable.map(\.field)
      let others = session.descriptionErrors.filter { !fields.contains($0.field) }
      let order = FormField.allCases
      let errors = (unusable + others).sorted {
        (order.firstIndex(of: $0.field) ?? 0) < (order.firstIndex(of: $1.field) ?? 0)
      }
      return FlowOutcome.refused(errors)
    }
    try session.tell(.description, outcome, adjusted: adjusted)
  }

  /// Puts the options into the form; what is no value of its field is told, and the field stays as
  /// it was.
  @MainActor private func fill(
    _ model: AnimalDescriptionViewModel, today: CalendarDay
  ) -> [ReportFlow.ValidationError] {
    var unusable: [ReportFlow.ValidationError] = []
    if let date {
      switch TypedDay(date, today: today, language: words.language) {
      case .day(let day) where !longAgo && DescriptionRules.isLongAgo(day, today: today):
        unusable.append(.invalidDate(.dateLongAgo))
      case .day(let day):
        model.disappearanceDate = day
        unusable += model.errors
      case .noSuchDay: unusable.append(.invalidDate(.dateNoSuchDay))
      case .ambiguous: unusable.append(.invalidDate(.dateAmbiguous))
      case .unreadable: unusable.append(.invalidDate(.dateUnreadable))
      }
    }
    if let species {
      let option = model.taxonomy.option(id: species)
      if option == nil { unusable.append(.missingSpecies) } else { model.selectedSpecies = option }
    }
    if let race { model.race = race }
    if let gender {
      let value = Gender(rawValue: gender)
      if value == nil { unusable.append(.missingGender) } else { model.selectedGender = value }
    }
    if let age { model.age = age }
    if let name { model.petName = name }
    if let latitude, longitude == nil, let pair = CoordinateRules.pair(latitude) {
      (model.latitude, model.longitude) = (pair.latitude, pair.longitude)
    } else if let latitude {
      model.latitude = latitude
    }
    if let longitude { model.longitude = longitude }
    if let description { model.additionalDescription = description }
    return unusable
  }
}

extension ReportSession {
  /// What is wrong with the description as it is typed.
  fileprivate var descriptionErrors: [ReportFlow.ValidationError] {
    let result = DescriptionRules.details(
      from: flow.draft.descriptionInput, today: environment.today, now: environment.now())
    guard case .failure(let errors) = result else { return [] }
    return errors.errors
  }
}
