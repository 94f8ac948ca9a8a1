import Announcements
import PhotoAttachments
import ReportFlow

extension Conversation {
  /// The first number of the place, or both at once.
  func askLatitude(_ model: AnimalDescriptionViewModel) async throws -> Bool {
    try await offerPositions(model)
    let field = model.locationCoordinateModel.latitudeField
    // Nobody has to know the place, and few know its numbers.
    if field.text.isEmpty {
      try prompt.say(words(.locationOnlyCoordinates))
      try prompt.say(words(.talkPlaceHelp))
    }
    let question = Question(
      label: field.label, current: field.text, help: words(.talkPlaceHelp))
    var isBoth = false
    // Both or neither: that one is missing is told with the longitude, which comes next.
    let error = {
      isBoth ? model.error(of: .latitude) ?? model.error(of: .longitude) : model.latitudeError
    }
    try fill(.latitude, question, error: error) { text in
      isBoth = false
      if let pair = CoordinateRules.pair(text) {
        (model.latitude, model.longitude, isBoth) = (pair.latitude, pair.longitude, true)
      } else {
        model.latitude = text
      }
    }
    if isBoth {
      let place = ["latitude": model.latitude, "longitude": model.longitude]
      try prompt.say("  " + words(.talkBothFilled, place))
    }
    return true
  }

  /// The second number, unless there is no place.
  func askLongitude(_ model: AnimalDescriptionViewModel) throws -> Bool {
    guard !model.latitude.isEmpty || !model.longitude.isEmpty else { return false }
    let field = model.locationCoordinateModel.longitudeField
    let question = Question(
      label: field.label, current: field.text, help: words(.talkPlaceHelp))
    try fill(.longitude, question, error: { model.error(of: .longitude) }) { text in
      guard let pair = CoordinateRules.pair(text) else { return model.longitude = text }
      (model.latitude, model.longitude) = (pair.latitude, pair.longitude)
    }
    // A longitude alone: the question before it is asked again.
    if let error = model.error(of: .latitude) {
      try prompt.complain(error.message(in: words))
      throw Leaving.back
    }
    return true
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

extension AnimalDescriptionViewModel {
  /// What is wrong with the latitude by itself.
  fileprivate var latitudeError: ReportFlow.ValidationError? {
    guard let error = error(of: .latitude), error != .invalidLatitude(.locationLatitudeMissing)
    else { return nil }
    return error
  }
}
