import Announcements
import ReportFlow

extension Conversation {
  /// The fields of step 3 that have a question of their own. The place in words is asked together with coordinates.
  static let askedOfDescription = FlowStep.description.fields.filter { $0 != .near }

  /// Asks for the place, in words or as coordinates. An answer replaces the current place, and the conversation
  /// confirms how it was understood.
  func askPlace() async throws {
    if try await takeOfferedPosition() { return }
    let before = Self.placeText(await flow.draft.descriptionInput)
    if before.isEmpty { try prompt.say(words("talk.placeHelp")) }
    while true {
      switch try prompt.askText(
        Question(label: words("talk.place"), current: before, help: words("talk.placeHelp")))
      {
      case .kept: return
      case .emptied: return try await setPlace("")
      case .text(let text):
        if try await takePlace(text, orGoBackTo: before) { return }
      }
    }
  }

  /// Asks for the longitude if only the latitude was typed. Returns `false` if there was nothing to ask.
  func askLongitude() async throws -> Bool {
    let input = await flow.draft.descriptionInput
    guard !input[.latitude].isEmpty, input[.longitude].isEmpty else { return false }
    while true {
      switch try prompt.askText(
        Question(label: words(FormField.longitude.label), help: words("talk.placeHelp")))
      {
      case .kept: try prompt.complain(words("location.longitudeMissing"))
      case .emptied:
        try await setPlace("")
        return true
      case .text(let text):
        let isNumber = !text.contains(where: \.isLetter) && CoordinateRules.pair(text) == nil
        let place = isNumber ? Self.pair(input[.latitude], text) : text
        if try await takePlace(place, orGoBackTo: input[.latitude]) { return true }
      }
    }
  }

  /// Stores an answer as the place and confirms how it was understood. If it is invalid, prints the error, restores
  /// `before` and returns `false`.
  private func takePlace(_ text: String, orGoBackTo before: String) async throws -> Bool {
    try await setPlace(text)
    if let error = await placeError() {
      try prompt.complain(error.message(in: words))
      try await setPlace(before)
      return false
    }
    let now = await flow.draft.descriptionInput
    if !now[.near].isEmpty {
      for adjustment in InputAdjustment.of(.near, text) {
        try prompt.complain(adjustment.message(in: words))
      }
      try prompt.say("  \(words(FormField.near.label)): \(Prompt.shown(now[.near]))")
    } else if !now[.longitude].isEmpty {
      let place = ["latitude": now[.latitude], "longitude": now[.longitude]]
      try prompt.say("  " + words("talk.bothFilled", place))
    }
    return true
  }

  /// Stores an answer: a pair of coordinates as both coordinates, other text with letters as words, and anything else
  /// as the latitude.
  private func setPlace(_ text: String) async throws {
    let pair = CoordinateRules.pair(text)
    let isWords = pair == nil && text.contains(where: \.isLetter)
    try await edit(.typed(.near, isWords ? text : ""))
    try await type(.latitude, pair?.latitude ?? (isWords ? "" : text))
    try await type(.longitude, pair?.longitude ?? "")
  }

  /// Returns the error of the place, or `nil` if it is valid so far.
  private func placeError() async -> ReportFlow.ValidationError? {
    let input = await flow.draft.descriptionInput
    if let error = await error(of: .near) { return error }
    if input[.latitude].isEmpty { return nil }
    // A missing longitude is no error yet, because the next question asks for it.
    if let error = await error(of: .latitude) { return error }
    return input[.longitude].isEmpty ? nil : await error(of: .longitude)
  }

  /// Returns the current place as one text: coordinates if there are any, otherwise words.
  private static func placeText(_ input: DescriptionInput) -> String {
    if input[.latitude].isEmpty { return input[.near] }
    return input[.longitude].isEmpty
      ? input[.latitude] : pair(input[.latitude], input[.longitude])
  }

  /// Joins both coordinates into a text that `CoordinateRules.pair` can parse.
  private static func pair(_ latitude: String, _ longitude: String) -> String {
    latitude + ((latitude + longitude).contains(",") ? "; " : ", ") + longitude
  }

  private func type(_ field: FormField, _ text: String) async throws {
    try await edit(.coordinate(field, text, context()))
  }

  private func context(
    _ authorization: LocationAuthorization = .notDetermined
  ) -> LocationContext {
    LocationContext(now: session.environment.now(), authorization: authorization)
  }

  /// Offers positions while the fields are empty. A position is used only after a yes (decision 17).
  ///
  /// - Returns: `true` if a position was used.
  private func takeOfferedPosition() async throws -> Bool {
    guard Self.placeText(await flow.draft.descriptionInput).isEmpty else { return false }
    if let position, try prompt.askYesOrNo(words("location.request") + "?") {
      try await edit(.captured(position, .manual, context(.authorizedWhenInUse)))
    } else if let place = try await flow.photoPosition(),
      try prompt.askYesOrNo(CoordinateText.photoOffer(place, in: words))
    {
      try await edit(.captured(place, .manual, context()))
    } else {
      return false
    }
    try prompt.say(words("location.captured"))
    return true
  }
}
