import Announcements
import ReportFlow

/// A field of a form for its template.
struct FieldView {
  /// Its name in the form, which is its id too.
  let id: String
  let testID, label, placeholder, value: String
  let type, keyboard, completion: String
  let help, wrong: String?
  /// Ids of what describes it.
  let described: String?
  let isFixed: Bool
  /// Whether it waits for a species, which only a script can make it do.
  let isRace: Bool
  /// The list of suggestions.
  let suggestions: String?
  let counter: CounterView?
}

/// `12/500` below a field.
struct CounterView {
  let id, field, text, note: String
  let limit: Int

  init(_ field: FormField, _ text: String, limit: Int, in words: Words) {
    (id, self.field) = (field.rawValue + "-counter", field.rawValue)
    self.limit = limit
    let count = String(min(text.count, limit))
    self.text = words(.additionalCounter, ["count": count, "limit": String(limit)])
    note = words(.additionalSurplus, ["limit": String(limit)])
  }
}

extension FieldView {
  /// How a field is asked for; its rules are `ReportFlow`'s.
  private struct Kind {
    var testID: String
    var placeholder: TextKey?
    var help: TextKey?
    var type = "text"
    var keyboard = "text"
    var completion = "off"
    var limit: Int?
  }

  private static func kind(of field: FormField) -> Kind {
    let (step3, step4) = ("animalDescription.", "ownersDetails.")
    switch field {
    case .chip:
      return Kind(
        testID: "missingPet.microchip.input", placeholder: .chipPlaceholder,
        help: .chipExplanation, keyboard: "numeric")
    case .photo: return Kind(testID: "animalPhoto.fileInput.field", type: "file")
    case .date:
      return Kind(testID: step3 + "datePicker.tap", type: "date")
    case .petName:
      return Kind(
        testID: step3 + "animalNameTextField.input",
        placeholder: .petNamePlaceholder)
    case .species: return Kind(testID: step3 + "speciesDropdown.tap")
    case .race:
      return Kind(
        testID: step3 + "raceTextField.input", placeholder: .racePlaceholder)
    case .gender: return Kind(testID: step3 + "gender")
    case .age:
      return Kind(
        testID: step3 + "ageTextField.input", placeholder: .agePlaceholder,
        keyboard: "numeric")
    case .near:
      return Kind(
        testID: step3 + "nearTextField.input", placeholder: .locationNearPlaceholder,
        limit: Announcement.longestNear)
    case .latitude:
      return Kind(
        testID: step3 + "latitudeTextField.input",
        placeholder: .locationLatitudePlaceholder, keyboard: "decimal")
    case .longitude:
      return Kind(
        testID: step3 + "longitudeTextField.input",
        placeholder: .locationLongitudePlaceholder, keyboard: "decimal")
    case .description:
      return Kind(
        testID: step3 + "descriptionTextArea.input",
        placeholder: .additionalPlaceholder, limit: DescriptionRules.longestDescription)
    case .name:
      return Kind(
        testID: step4 + "nameInput", placeholder: .contactNamePlaceholder,
        completion: "name")
    case .phone:
      return Kind(
        testID: step4 + "phoneInput",
        placeholder: .contactPhonePlaceholder, type: "tel", keyboard: "tel", completion: "tel")
    case .email:
      return Kind(
        testID: step4 + "emailInput",
        placeholder: .contactEmailPlaceholder, type: "email", keyboard: "email",
        completion: "email")
    case .reward:
      return Kind(
        testID: step4 + "rewardInput",
        placeholder: .contactRewardPlaceholder, limit: ContactRules.longestReward)
    }
  }

  /// What a field is called.
  static func label(of field: FormField, in words: Words) -> String { words(field.label) }

  /// A field with what stands in it and what is wrong with it.
  init(
    _ field: FormField, _ value: String, errors: [ValidationError] = [], help given: TextKey? = nil,
    suggestions: String? = nil, isFixed: Bool = false, in words: Words
  ) {
    let kind = Self.kind(of: field)
    (id, testID, self.value) = (field.rawValue, kind.testID, value)
    (label, placeholder) = (words(field.label), kind.placeholder.map { words($0) } ?? "")
    (type, keyboard, completion) = (kind.type, kind.keyboard, kind.completion)
    help = (given ?? kind.help).map { words($0) }
    wrong = errors.first { $0.field == field }?.message(in: words)
    counter = kind.limit.map { CounterView(field, value, limit: $0, in: words) }
    let ids = [
      help == nil ? nil : id + "-help", wrong == nil ? nil : id + "-error", counter?.id,
    ].compactMap { $0 }
    described = ids.isEmpty ? nil : ids.joined(separator: " ")
    (self.suggestions, self.isFixed, isRace) = (suggestions, isFixed, field == .race)
  }
}

extension [ValidationError] {
  /// The lines of the summary of errors.
  func lines(in words: Words) -> [ErrorLine] {
    map { ErrorLine(text: $0.message(in: words), field: $0.field.rawValue) }
  }
}
