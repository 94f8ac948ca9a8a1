import Announcements
import Foundation
import ReportFlow

extension Conversation {
  /// Runs step 3: asks for every field in order.
  ///
  /// - Parameter fromBehind: `true` if the step is entered backwards, at its last question.
  func askDescription(fromBehind: Bool) async throws {
    _ = await session.refreshTaxonomy()
    try prompt.say(words("description.subtitle"))
    let fields = Self.askedOfDescription
    var first = fromBehind ? fields.count - 1 : 0
    while true {
      try await askFields(fields, from: first) { try await askField($0) }
      // Continue may be refused because of a field without a question, or a change by another process.
      guard case .refused(let errors) = try await session.finish(.description) else { return }
      for error in errors { try prompt.complain(error.message(in: words)) }
      first = errors.first.flatMap { fields.firstIndex(of: $0.field) } ?? 0
    }
  }

  /// Asks for one field. Returns `false` if the question doesn't apply.
  func askField(_ field: FormField) async throws -> Bool {
    switch field {
    case .date: try await askDate()
    case .species: try await askSpecies()
    case .race: try await askRace()
    case .gender: try await askGender()
    case .latitude: try await askPlace()
    case .longitude: return try await askLongitude()
    case .description: try await fill(field, help: words("talk.manyLines"), isLong: true)
    default: try await fill(field, help: field == .age ? words("age.help") : nil)
    }
    return true
  }

  /// Asks for the day of disappearance. Today is the default.
  private func askDate() async throws {
    while true {
      let chosen = await flow.draft.descriptionInput.date
      let today = session.environment.today
      let shown = (chosen ?? today).description
      // Accepting today's date stores it as if it were typed, so it is the same day tomorrow.
      let typed =
        switch try prompt.askText(
          Question(
            label: words(FormField.date.label), current: shown, help: words("talk.dayHelp")))
        {
        case .kept: shown
        case .emptied: ""
        case .text(let text): text
        }
      if typed.isEmpty {
        try prompt.complain(words("date.missing"))
        continue
      }
      switch TypedDay(typed, today: session.environment.today, language: words.language) {
      case .noSuchDay: try prompt.complain(words("date.noSuchDay"))
      case .ambiguous: try prompt.complain(words("date.ambiguous"))
      case .unreadable: try prompt.complain(words("date.unreadable"))
      case .day(let day):
        let today = session.environment.today
        if day.description != typed { try prompt.say("  = \(day)") }
        // This question is asked only once (decision 42).
        if day != chosen, DescriptionRules.isLongAgo(day, today: today),
          try !prompt.askYesOrNo(words("date.longAgo", ["day": day.description]))
        {
          continue
        }
        guard case .refused(let errors) = try await edit(.date(day, today: today)) else { return }
        try prompt.complain(errors.first?.message(in: words))
      }
    }
  }

  /// Asks for the species, after offering to fetch the list again if that failed before.
  private func askSpecies() async throws {
    while await session.environment.taxonomy?.isOffline == true {
      try prompt.say(words("species.offline"))
      guard try prompt.askYesOrNo(words("species.retry") + "?") else { break }
      _ = await session.refreshTaxonomy()
    }
    let species = await session.taxonomy.options
    let before = await flow.draft.descriptionInput
    try await choose(
      .species, of: species.map { [$0.displayName(in: words), $0.id] },
      selected: species.firstIndex { $0.id == before.species?.id }
    ) { .species($0.map { species[$0] }) }
    let race = await flow.draft.descriptionInput[.race]
    if !before[.race].isEmpty, race.isEmpty {
      try prompt.complain(words("talk.raceEmptied", ["race": Prompt.shown(before[.race])]))
    }
  }

  /// Asks for the race. Suggestions are listed, and Tab completes them.
  private func askRace() async throws {
    let input = await flow.draft.descriptionInput
    let suggestions = input.species?.suggestions(for: input[.race], in: words) ?? []
    if !suggestions.isEmpty {
      let list = suggestions.prefix(6).joined(separator: ", ")
      try prompt.say(words("talk.suggestions", ["list": list]))
    }
    try await fill(.race, complete: Question.words(suggestions))
  }

  private func askGender() async throws {
    // The order of the cards on the web pages.
    let genders = Gender.allCases
    let answers = [Gender.male: "talk.answersMale", .female: "talk.answersFemale"] as [_: TextKey]
    let chosen = await flow.draft.descriptionInput.gender
    try await choose(
      .gender,
      of: genders.map { gender in
        let others = answers[gender].map { words($0).components(separatedBy: ", ") } ?? []
        return [gender.displayName(in: words), gender.rawValue] + others
      },
      selected: genders.firstIndex { $0 == chosen }
    ) { .gender($0.map { genders[$0] }) }
  }

  /// Asks for one of the options until Continue would accept it.
  ///
  /// - Parameters:
  ///   - options: the words that choose each option. The first one is displayed.
  ///   - choosing: returns the edit that chooses an option by its index, or none.
  private func choose(
    _ field: FormField, of options: [[String]], selected: Int?,
    _ choosing: (Int?) -> FlowEdit
  ) async throws {
    var selected = selected
    while true {
      switch try prompt.choose(words(field.label), options: options, selected: selected) {
      case .kept: break
      case .none:
        try await edit(choosing(nil))
        selected = nil
      case .option(let index): try await edit(choosing(index))
      }
      guard let error = await error(of: field) else { return }
      try prompt.complain(error.message(in: words))
    }
  }
}
