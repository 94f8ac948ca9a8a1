import Announcements
import PhotoAttachments
import ReportFlow

extension Conversation {
  /// The fields of step 3 that have a question of their own; the place in words has none.
  static let askedOfDescription = FlowStep.description.fields.filter { $0 != .near }

  /// The first number of the place, or both at once. Words are taken too, and the numbers asked for
  /// again: a question of its own for them would shift the answers of every script.
  func askLatitude(_ model: AnimalDescriptionViewModel) async throws -> Bool {
    try await offerPositions(model)
    while try askPlace(model) {}
    return true
  }

  /// - Returns: whether words were typed, and the numbers are to be asked for again.
  private func askPlace(_ model: AnimalDescriptionViewModel) throws -> Bool {
    let field = model.locationCoordinateModel.latitudeField
    // Nobody has to know the place, and few know its numbers.
    if field.text.isEmpty {
      try prompt.say(words("talk.placeHelp"))
    }
    let question = Question(
      label: words("talk.place"), current: field.text, help: words("talk.placeHelp"))
    var (isBoth, isWords) = (false, false)
    let longitude = model.longitude
    // Both or neither: that one is missing is reported with the longitude, which comes next.
    let error = {
      isBoth ? model.error(of: .latitude) ?? model.error(of: .longitude) : model.latitudeError
    }
    try fill(.latitude, question, error: error) { text in
      // Of a refused pair neither number stays.
      if isBoth { model.longitude = longitude }
      (isBoth, isWords) = (false, false)
      if text.filter(\.isLetter).count > 3, !text.contains(where: \.isNumber) {
        (model[.near], isWords) = (text, true)
      } else if let pair = CoordinateRules.pair(text) {
        (model.latitude, model.longitude, isBoth) = (pair.latitude, pair.longitude, true)
      } else {
        model.latitude = text
      }
    }
    if isWords {
      let taken = model.fieldModel(.near)
      try prompt.say("  \(taken.label): \(Prompt.shown(taken.text))")
      return true
    }
    if isBoth {
      let place = ["latitude": model.latitude, "longitude": model.longitude]
      try prompt.say("  " + words("talk.bothFilled", place))
    }
    return false
  }

  /// The second number, unless there is no place.
  func askLongitude(_ model: AnimalDescriptionViewModel) throws -> Bool {
    guard !model.latitude.isEmpty || !model.longitude.isEmpty else { return false }
    let field = model.locationCoordinateModel.longitudeField
    let question = Question(
      label: field.label, current: field.text, help: words("talk.placeHelp"))
    try fill(.longitude, question, error: { model.error(of: .longitude) }) { text in
      guard let pair = CoordinateRules.pair(text) else { return model.longitude = text }
      (model.latitude, model.longitude) = (pair.latitude, pair.longitude)
    }
    // A longitude alone: the question before it is asked again.
    if let error = model.error(of: .latitude) {
      try prompt.complain(error.message(in: words))
      throw ConversationExit.back
    }
    return true
  }

  /// Positions are offered while the fields are empty, and never taken without a yes (decision 17).
  private func offerPositions(_ model: AnimalDescriptionViewModel) async throws {
    guard model.latitude.isEmpty, model.longitude.isEmpty else { return }
    if hasPosition, try prompt.askYesOrNo(words("location.request") + "?") {
      await model.requestGPSPosition()
    } else if let offer = model.photoPositionOffer, try prompt.askYesOrNo(offer) {
      model.usePhotoPosition()
    }
    if let helper = model.gpsHelper { try prompt.say(words(helper)) }
  }
}

extension AnimalDescriptionViewModel {
  /// What is wrong with the latitude by itself.
  fileprivate var latitudeError: ReportFlow.ValidationError? {
    guard let error = error(of: .latitude), error != .invalidLatitude("location.latitudeMissing")
    else { return nil }
    return error
  }
}
