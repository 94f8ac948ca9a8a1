import Announcements
import ReportFlow

/// The data of a form field.
struct FieldView {
  /// The name in the form, which is also the HTML ID.
  let id: String
  let testID, label, placeholder, value: String
  let type, keyboard, completion: String
  let help, wrong: String?
  /// The value of `aria-describedby`.
  let described: String?
  let isFixed: Bool
  /// `true` if the field has a text or an error.
  let isInUse: Bool
  /// `true` if the field waits until a species is chosen. Only a script can make it wait.
  let isRace: Bool
  /// The ID of the list of suggestions.
  let suggestions: String?
  let counter: CounterView?
}

/// The counter below a field, such as `12/500`.
struct CounterView {
  let id, field, text, note: String
  let limit: Int

  /// Creates the counter of a field. Fails if the field has no limit.
  init?(_ field: FormField, _ text: String, in words: Words) {
    guard let limit = field.maxLength, let count = field.counter(of: text, in: words) else {
      return nil
    }
    id = field.rawValue + "-counter"
    self.field = field.rawValue
    self.text = count
    self.limit = limit
    note = words("additional.surplus", ["limit": String(limit)])
  }
}

extension KeyboardType {
  /// The `type` and `inputmode` of an input, and its `autocomplete` if that follows from the type.
  fileprivate var input: (type: String, mode: String, completion: String) {
    switch self {
    case .standard: ("text", "text", "off")
    case .numberPad: ("text", "numeric", "off")
    case .decimalPad: ("text", "decimal", "off")
    case .phonePad: ("tel", "tel", "tel")
    case .emailAddress: ("email", "email", "email")
    }
  }
}

extension FieldView {
  /// Creates a field with its text and its error.
  init(
    _ field: FormField, _ value: String, errors: [ValidationError] = [], help given: TextKey? = nil,
    suggestions: String? = nil, isFixed: Bool = false, in words: Words
  ) {
    let helper =
      given ?? [.email: "email.purpose", .age: "age.hint", .near: "location.home"][field]
    let model = field.model(value, errors: errors, helper: helper, in: words)
    id = field.rawValue
    testID = model.accessibilityID
    self.value = value
    label = model.label
    placeholder = model.placeholder
    help = model.helperText
    wrong = model.errorMessage
    let input = model.keyboardType.input
    type = input.type
    keyboard = input.mode
    completion = field == .name ? "name" : input.completion
    counter = CounterView(field, value, in: words)
    let ids = [
      help == nil ? nil : id + "-help", wrong == nil ? nil : id + "-error", counter?.id,
    ].compactMap { $0 }
    described = ids.isEmpty ? nil : ids.joined(separator: " ")
    isInUse = !value.isEmpty || wrong != nil
    self.suggestions = suggestions
    self.isFixed = isFixed
    isRace = field == .race
  }
}

extension [ValidationError] {
  /// Returns the lines for the summary of errors.
  func lines(in words: Words) -> [ErrorEntry] {
    map { ErrorEntry(text: $0.message(in: words), field: $0.field.rawValue) }
  }
}
