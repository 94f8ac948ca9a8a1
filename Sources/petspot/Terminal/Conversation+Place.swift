import Announcements
import PhotoAttachments
import ReportFlow

extension Conversation {
  /// The fields of step 3 that have a question of their own; the place in words has none.
  static let askedOfDescription = FlowStep.description.fields.filter { $0 != .near }

  /// The first number of the place, or both at once. Words are taken too, and the numbers asked for
  /// again: a question of its own for them would shift the answers of every script.
  func askLatitude() async throws {
    try await offerPositions()
    while try await askPlace() {}
  }

  /// - Returns: whether words were typed, and the numbers are to be asked for again.
  private func askPlace() async throws -> Bool {
    let before = await flow.draft.descriptionInput
    // Nobody has to know the place, and few know its numbers.
    if before[.latitude].isEmpty { try prompt.say(words("talk.placeHelp")) }
    var (isBoth, isWords) = (false, false)
    try await fill(
      .latitude, label: "talk.place", help: words("talk.placeHelp"),
      error: {
        let error = await error(of: .latitude)
        if isBoth { return if let error { error } else { await self.error(of: .longitude) } }
        // Both or neither: that one is missing is reported with the longitude, which comes next.
        return error == .invalidLatitude("location.latitudeMissing") ? nil : error
      },
      set: { text in
        // Of a refused pair neither number stays.
        if isBoth { try await type(.longitude, before[.longitude]) }
        (isBoth, isWords) = (false, false)
        if text.filter(\.isLetter).count > 3, !text.contains(where: \.isNumber) {
          try await edit(.typed(.near, text))
          isWords = true
        } else if let pair = CoordinateRules.pair(text) {
          try await type(.latitude, pair.latitude)
          try await type(.longitude, pair.longitude)
          isBoth = true
        } else {
          try await type(.latitude, text)
        }
      })
    let now = await flow.draft.descriptionInput
    if isWords {
      try prompt.say("  \(words(FormField.near.label)): \(Prompt.shown(now[.near]))")
    } else if isBoth {
      let place = ["latitude": now[.latitude], "longitude": now[.longitude]]
      try prompt.say("  " + words("talk.bothFilled", place))
    }
    return isWords
  }

  private func type(_ field: FormField, _ text: String) async throws {
    try await edit(.coordinate(field, text, context()))
  }

  private func context(
    _ authorization: LocationAuthorization = .notDetermined
  ) -> LocationContext {
    LocationContext(now: session.environment.now(), authorization: authorization)
  }

  /// The second number, unless there is no place.
  func askLongitude() async throws -> Bool {
    let before = await flow.draft.descriptionInput
    guard !before[.latitude].isEmpty || !before[.longitude].isEmpty else { return false }
    try await fill(
      .longitude, help: words("talk.placeHelp"),
      set: { text in
        let pair = CoordinateRules.pair(text)
        if let pair { try await type(.latitude, pair.latitude) }
        try await type(.longitude, pair?.longitude ?? text)
      })
    // A longitude alone: the question before it is asked again.
    if let error = await error(of: .latitude) {
      try prompt.complain(error.message(in: words))
      throw ConversationExit.back
    }
    return true
  }

  /// Positions are offered while the fields are empty, and never taken without a yes (decision 17).
  private func offerPositions() async throws {
    let input = await flow.draft.descriptionInput
    guard input[.latitude].isEmpty, input[.longitude].isEmpty else { return }
    if let position, try prompt.askYesOrNo(words("location.request") + "?") {
      try await edit(.captured(position, .manual, context(.authorizedWhenInUse)))
    } else if let place = try await flow.photoPosition(),
      try prompt.askYesOrNo(CoordinateText.photoOffer(place, in: words))
    {
      try await edit(.captured(place, .manual, context()))
    } else {
      return
    }
    try prompt.say(words("location.captured"))
  }
}
