import Announcements
import ArgumentParser
import ReportFlow

/// `petspot report describe`: fills in step 3, the description of the animal.
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
    try await session.checkEditable()
    if await session.refreshTaxonomy(), !options.quiet {
      Output.printNote(words("species.offline"))
    }
    let taxonomy = await session.taxonomy
    let environment = session.environment
    // Noted once, but never refused (decision 42).
    if !longAgo, case .day(let day) = typedDay(environment.today),
      await day != session.flow.draft.descriptionInput.date,
      DescriptionRules.isLongAgo(day, today: environment.today)
    {
      Output.printNote("petspot: " + words("date.longAgoTaken", ["day": day.description]))
    }
    let outcome = try await session.finish(.description) { fill(&$0, taxonomy, environment) }
    try await session.report(
      .description, outcome, adjusted: texts.flatMap { InputAdjustment.of($0, $1 ?? "") })
  }

  /// The given texts of fields that accept any text.
  private var texts: [(FormField, String?)] {
    [(.age, age), (.petName, name), (.near, near), (.description, description)]
  }

  private func typedDay(_ today: CalendarDay) -> TypedDay? {
    date.map { TypedDay($0, today: today, language: words.language) }
  }

  /// Stores the options in the form. An invalid value is returned as an error, and its field stays unchanged.
  private func fill(
    _ draft: inout ReportDraft, _ taxonomy: SpeciesTaxonomy, _ environment: FlowEnvironment
  ) -> [ReportFlow.ValidationError] {
    var unusable: [ReportFlow.ValidationError] = []
    func edit(_ edit: FlowEdit) {
      if case .refused(let errors) = draft.handle(.edited(edit)) { unusable += errors }
    }
    switch typedDay(environment.today) {
    case .day(let day): edit(.date(day, today: environment.today))
    case .noSuchDay: unusable.append(.invalidDate("date.noSuchDay"))
    case .ambiguous: unusable.append(.invalidDate("date.ambiguous"))
    case .unreadable: unusable.append(.invalidDate("date.unreadable"))
    case nil: break
    }
    if let species {
      let found = option(species, taxonomy.options, id: \.id) { $0.displayName(in: $1) }
      if let value = found.value { edit(.species(value)) }
      if let names = found.others {
        unusable.append(species.isEmpty ? .missingSpecies : .noSuchOption(.species, names: names))
      }
    }
    if let race { edit(.typed(.race, race)) }
    if let gender {
      let found = option(gender, Gender.allCases, id: \.rawValue) { $0.displayName(in: $1) }
      if let value = found.value { edit(.gender(value)) }
      if let names = found.others {
        unusable.append(gender.isEmpty ? .missingGender : .noSuchOption(.gender, names: names))
      }
    }
    for case (let field, let text?) in texts { edit(.typed(field, text)) }
    let pair = longitude == nil ? latitude.flatMap { CoordinateRules.pair($0) } : nil
    let context = LocationContext(now: environment.now(), authorization: .notDetermined)
    if let text = pair?.latitude ?? latitude { edit(.coordinate(.latitude, text, context)) }
    if let text = pair?.longitude ?? longitude { edit(.coordinate(.longitude, text, context)) }
    return unusable
  }

  /// Returns the option that `text` names by its id or by its name in any language, ignoring case. If no option
  /// matches, returns the names of all options.
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
