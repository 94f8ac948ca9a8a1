import Announcements
import ArgumentParser
import ReportFlow

struct ReportDescribe: ReportCommand {
  static let configuration = CommandConfiguration(
    named: "describe", "help.report.describe.abstract", "help.report.describe.discussion",
    examples: """
      petspot report describe --species dog --race Beagle --gender female --age 4
      petspot report describe --latitude 52.2297 --longitude 21.0122
      """)

  @Option(parsing: .unconditional, help: .field(.date, "yyyy-mm-dd"), transform: RawArguments.text)
  var date: String?

  @Flag(help: .words("help.report.describe.longAgo"))
  var longAgo = false

  @Option(
    parsing: .unconditional, help: .field(.species, "id"),
    completion: .list(L10n.list("help.report.describe.speciesValues")), transform: RawArguments.text
  )
  var species: String?

  @Option(parsing: .unconditional, help: .field(.race), transform: RawArguments.text)
  var race: String?

  @Option(
    parsing: .unconditional, help: .field(.gender, "gender"),
    completion: .list(L10n.list("help.report.describe.genderValues")), transform: RawArguments.text)
  var gender: String?

  @Option(parsing: .unconditional, help: .field(.age, "n"), transform: RawArguments.text)
  var age: String?

  @Option(parsing: .unconditional, help: .field(.petName), transform: RawArguments.text)
  var name: String?

  @Option(parsing: .unconditional, help: .field(.near), transform: RawArguments.text)
  var near: String?

  @Option(parsing: .unconditional, help: .field(.latitude, "n"), transform: RawArguments.text)
  var latitude: String?

  @Option(parsing: .unconditional, help: .field(.longitude, "n"), transform: RawArguments.text)
  var longitude: String?

  @Option(parsing: .unconditional, help: .field(.description), transform: RawArguments.text)
  var description: String?

  @OptionGroup var report: ReportOptions

  func perform(in session: ReportSession) async throws {
    try session.checkEditable()
    let model = session.coordinator().makeAnimalDescription()
    await model.refreshTaxonomy()
    if model.isTaxonomyOffline, !options.quiet { Output.note(words("species.offline")) }
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
    try session.report(
      .description, outcome, adjusted: texts.flatMap { InputAdjustment.of($0, $1 ?? "") })
  }

  /// What is given of texts that are taken as they are.
  private var texts: [(FormField, String?)] {
    [(.age, age), (.petName, name), (.near, near), (.description, description)]
  }

  /// Puts the options into the form; what is no value of its field is reported, and the field stays as
  /// it was.
  @MainActor private func fill(
    _ model: AnimalDescriptionViewModel, today: CalendarDay
  ) -> [ReportFlow.ValidationError] {
    var unusable: [ReportFlow.ValidationError] = []
    if let date {
      switch TypedDay(date, today: today, language: words.language) {
      case .day(let day):
        // Asked about once, never refused (decision 42).
        if !longAgo, day != model.disappearanceDate, DescriptionRules.isLongAgo(day, today: today) {
          Output.note("petspot: " + words("date.longAgoTaken", ["day": day.description]))
        }
        model.disappearanceDate = day
        unusable += model.errors
      case .noSuchDay: unusable.append(.invalidDate("date.noSuchDay"))
      case .ambiguous: unusable.append(.invalidDate("date.ambiguous"))
      case .unreadable: unusable.append(.invalidDate("date.unreadable"))
      }
    }
    if let species {
      let found = option(species, model.taxonomy.options, id: \.id) { $0.displayName(in: $1) }
      if let value = found.value { model.selectedSpecies = value }
      if let names = found.others {
        unusable.append(species.isEmpty ? .missingSpecies : .noSuchOption(.species, names: names))
      }
    }
    if let race { model.race = race }
    if let gender {
      let found = option(gender, Gender.allCases, id: \.rawValue) { $0.displayName(in: $1) }
      if let value = found.value { model.selectedGender = value }
      if let names = found.others {
        unusable.append(gender.isEmpty ? .missingGender : .noSuchOption(.gender, names: names))
      }
    }
    for case (let field, let text?) in texts { model[field] = text }
    if let latitude, longitude == nil, let pair = CoordinateRules.pair(latitude) {
      (model.latitude, model.longitude) = (pair.latitude, pair.longitude)
    } else if let latitude {
      model.latitude = latitude
    }
    if let longitude { model.longitude = longitude }
    return unusable
  }
}

extension ReportDescribe {
  /// The option that `text` names: by its id, or by what it is called in any language, in small letters
  /// or capital ones; the names of all when it names none.
  private func option<Value>(
    _ text: String, _ options: [Value], id: (Value) -> String,
    name: (Value, Words) -> String
  ) -> (value: Value?, others: [String]?) {
    let text = text.lowercased()
    let found = options.first { option in
      id(option).lowercased() == text
        || Language.allCases.contains { name(option, Words($0)).lowercased() == text }
    }
    return (found, found == nil ? options.map { name($0, words).lowercased() } : nil)
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
