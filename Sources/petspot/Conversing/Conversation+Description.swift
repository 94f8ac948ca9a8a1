import Announcements
import PhotoAttachments
import ReportFlow

extension Conversation {
  /// Step 3: every field once, then again those that Continue refused.
  func askDescription() async throws {
    let model = AnimalDescriptionViewModel(
      flowState: flow, environment: session.environment, words: words)
    await model.refreshTaxonomy()
    try prompt.say(words(.descriptionSubtitle))
    var fields: [FormField] = [
      .date, .petName, .species, .race, .gender, .age, .latitude, .longitude, .description,
    ]
    while true {
      for field in fields { try await ask(field, of: model) }
      guard case .refused(let errors) = model.continueTapped() else { return }
      try prompt.say(Toast.correctFields.message(in: words))
      fields = errors.map(\.field)
    }
  }

  private func ask(_ field: FormField, of model: AnimalDescriptionViewModel) async throws {
    try prompt.complain(model.errors.first { $0.field == field }?.message(in: words))
    switch field {
    case .date: try askDate(model)
    case .petName: try fill(model.petNameTextFieldModel) { model.petName = $0 }
    case .species: try await askSpecies(model)
    case .race:
      let suggestions = model.raceSuggestions.prefix(6)
      if !suggestions.isEmpty {
        try prompt.say(words(.talkSuggestions, ["list": suggestions.joined(separator: ", ")]))
      }
      // Without a species there is no race to ask for; both are missing then.
      guard !model.raceTextFieldModel.isDisabled else { break }
      try fill(model.raceTextFieldModel) { model.race = $0 }
    case .gender: try askGender(model)
    case .age: try fill(model.ageTextFieldModel) { model.age = $0 }
    case .latitude:
      try await offerPositions(model)
      try fill(model.locationCoordinateModel.latitudeField) { model.latitude = $0 }
    case .longitude: try fill(model.locationCoordinateModel.longitudeField) { model.longitude = $0 }
    default:
      let area = model.descriptionTextAreaModel
      if let text = try prompt.askText(area.label, current: area.text) {
        model.additionalDescription = text
      }
    }
    try session.checkSaved()
  }

  private func fill(_ field: ValidatedTextField.Model, _ set: (String) -> Void) throws {
    if let text = try prompt.askText(field.label, current: field.text) { set(text) }
  }

  private func askDate(_ model: AnimalDescriptionViewModel) throws {
    while true {
      let field = model.dateFieldModel
      // A day that was agreed to is kept as if it were typed: tomorrow it is still that day.
      let text = try prompt.askText(field.label, current: field.text) ?? field.text
      guard let day = CalendarDay(text) else {
        try prompt.complain(words(.talkDate))
        continue
      }
      model.disappearanceDate = day
      guard let message = model.dateFieldModel.errorMessage else { return }
      try prompt.complain(message)
    }
  }

  private func askSpecies(_ model: AnimalDescriptionViewModel) async throws {
    while let retry = model.taxonomyRetryTitle {
      try prompt.say(model.speciesDropdownModel.banner ?? "")
      guard try prompt.askYesOrNo(retry + "?") else { break }
      await model.refreshTaxonomy()
    }
    let list = model.speciesDropdownModel
    let species = model.taxonomy.options
    switch try prompt.choose(
      list.label, options: list.options, names: species.map(\.id), selected: list.selectedIndex)
    {
    case .kept: break
    case .none: model.selectedSpecies = nil
    case .option(let index): model.selectedSpecies = species[index]
    }
  }

  private func askGender(_ model: AnimalDescriptionViewModel) throws {
    let cards = model.genderSelectorModel
    // In the order of the cards.
    let genders = Gender.allCases
    switch try prompt.choose(
      cards.label, options: cards.options, names: genders.map(\.rawValue),
      selected: cards.selectedIndex)
    {
    case .kept: break
    case .none: model.selectedGender = nil
    case .option(let index): model.selectedGender = genders[index]
    }
  }

  /// Positions are offered while the fields are empty, and never taken without a yes (decision 17).
  private func offerPositions(_ model: AnimalDescriptionViewModel) async throws {
    guard model.latitude.isEmpty, model.longitude.isEmpty else { return }
    if hasPosition, try prompt.askYesOrNo(words(.locationRequest) + "?") {
      await model.requestGPSPosition()
    } else if let offer = model.photoPositionOffer, try prompt.askYesOrNo(offer) {
      model.usePhotoPosition()
    }
    if let helper = model.gpsHelper { try prompt.say(words(helper)) }
  }
}
