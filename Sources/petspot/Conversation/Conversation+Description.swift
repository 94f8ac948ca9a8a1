import Announcements
import PhotoAttachments
import ReportFlow

extension Conversation {
  /// Step 3: every field in its order.
  ///
  /// - Parameter fromBehind: whether the step is entered at its last question.
  func askDescription(fromBehind: Bool) async throws {
    let model = coordinator.makeAnimalDescription()
    await model.refreshTaxonomy()
    try prompt.say(words("description.subtitle"))
    let fields = Self.askedOfDescription
    var first = fromBehind ? fields.count - 1 : 0
    while true {
      try await ask(fields, from: first) { try await ask($0, of: model) }
      // Refused by what is not asked in this order, or was typed elsewhere meanwhile.
      guard case .refused(let errors) = model.continueTapped() else { return }
      for error in errors { try prompt.complain(error.message(in: words)) }
      first = errors.first.flatMap { fields.firstIndex(of: $0.field) } ?? 0
    }
  }

  private func ask(_ field: FormField, of model: AnimalDescriptionViewModel) async throws -> Bool {
    let error = { model.error(of: field) }
    switch field {
    case .date: try askDate(model)
    case .species: try await askSpecies(model)
    case .race: try askRace(model)
    case .gender: try askGender(model)
    case .latitude: return try await askLatitude(model)
    case .longitude: return try askLongitude(model)
    case .description:
      let area = model.descriptionTextAreaModel
      let question = Question(
        label: area.label, current: area.text, help: words("talk.manyLines"), isLong: true)
      try fill(field, question) { model[field] = $0 }
    default:
      let drawn = model.fieldModel(field)
      let question = Question(
        label: drawn.label, current: drawn.text, help: field == .age ? words("age.invalid") : nil)
      try fill(field, question, error: error) { model[field] = $0 }
    }
    return true
  }

  private func askDate(_ model: AnimalDescriptionViewModel) throws {
    while true {
      let field = model.dateFieldModel
      // A day that was agreed to is kept as if it were typed: tomorrow it is still that day.
      let typed =
        switch try prompt.askText(
          Question(label: field.label, current: field.text, help: words("talk.dayHelp")))
        {
        case .kept: field.text
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
        if day.description != typed { try prompt.say("  = \(day)") }
        // Asked about once (decision 42).
        if day != flow.draft.descriptionInput.date,
          DescriptionRules.isLongAgo(day, today: session.environment.today),
          try !prompt.askYesOrNo(words("date.longAgo", ["day": day.description]))
        {
          continue
        }
        model.disappearanceDate = day
        try session.checkSaved()
        guard let message = model.dateFieldModel.errorMessage else { return }
        try prompt.complain(message)
      }
    }
  }

  private func askSpecies(_ model: AnimalDescriptionViewModel) async throws {
    while let retry = model.taxonomyRetryTitle {
      try prompt.say(model.speciesDropdownModel.banner ?? "")
      guard try prompt.askYesOrNo(retry + "?") else { break }
      await model.refreshTaxonomy()
    }
    let species = model.taxonomy.options
    let race = model.race
    while true {
      let list = model.speciesDropdownModel
      switch try prompt.choose(
        list.label, options: list.options, names: species.map(\.id), selected: list.selectedIndex)
      {
      case .kept: break
      case .none: model.selectedSpecies = nil
      case .option(let index): model.selectedSpecies = species[index]
      }
      try session.checkSaved()
      guard let error = model.error(of: .species) else { break }
      try prompt.complain(error.message(in: words))
    }
    if !race.isEmpty, model.race.isEmpty {
      try prompt.complain(words("talk.raceEmptied", ["race": Prompt.shown(race)]))
    }
  }

  private func askRace(_ model: AnimalDescriptionViewModel) throws {
    let suggestions = model.raceSuggestions
    if !suggestions.isEmpty {
      let list = suggestions.prefix(6).joined(separator: ", ")
      try prompt.say(words("talk.suggestions", ["list": list]))
    }
    let drawn = model.raceTextFieldModel
    let question = Question(
      label: drawn.label, current: drawn.text, complete: Question.words(suggestions))
    try fill(.race, question, error: { model.error(of: .race) }) { model.race = $0 }
  }

  private func askGender(_ model: AnimalDescriptionViewModel) throws {
    // In the order of the cards.
    let genders = Gender.allCases
    while true {
      let cards = model.genderSelectorModel
      switch try prompt.choose(
        cards.label, options: cards.options, names: genders.map(\.rawValue),
        selected: cards.selectedIndex)
      {
      case .kept: break
      case .none: model.selectedGender = nil
      case .option(let index): model.selectedGender = genders[index]
      }
      try session.checkSaved()
      guard let error = model.error(of: .gender) else { return }
      try prompt.complain(error.message(in: words))
    }
  }
}
