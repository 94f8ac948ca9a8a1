package import Announcements
package import PhotoModel

/// The kind of keyboard that a field needs.
public enum KeyboardType: String, Sendable {
  case standard, numberPad, decimalPad, phonePad, emailAddress
}

/// A text field with an error message below it (seed 031, `ValidatedTextField`).
public enum ValidatedTextField {
  /// The values that a surface needs to draw the field.
  public struct Model: Sendable, Equatable {
    /// The text above the field.
    public let label: String
    /// The text in the empty field.
    public let placeholder: String
    /// The typed text.
    public let text: String
    /// The error message, or `nil` if the field is valid.
    public let errorMessage: String?
    /// The reason why the field is disabled, or its purpose, or `nil`.
    public let helperText: String?
    /// `true` if the field doesn't accept input.
    public let isDisabled: Bool
    /// The keyboard for the field.
    public let keyboardType: KeyboardType
    /// The identifier of the field in tests, independent of the language.
    public let accessibilityID: String

    /// Creates a field from these parts.
    public init(
      label: String, placeholder: String = "", text: String = "", errorMessage: String? = nil,
      helperText: String? = nil, isDisabled: Bool = false, keyboardType: KeyboardType = .standard,
      accessibilityID: String
    ) {
      self.label = label
      self.placeholder = placeholder
      self.text = text
      self.errorMessage = errorMessage
      self.helperText = helperText
      self.isDisabled = isDisabled
      self.keyboardType = keyboardType
      self.accessibilityID = accessibilityID
    }
  }
}

extension FormField {
  /// The text above the field.
  package var label: TextKey { text("label") ?? "photo.title" }

  /// The name of the field in other places, without the form's `(optional)`.
  package var name: TextKey { text("title") ?? label }

  /// The text in the empty field, or `nil` if the field has no placeholder.
  package var placeholder: TextKey? { text("placeholder") }

  /// The help text of the command-line option for this field.
  package var help: TextKey? { text("help") }

  private func text(_ part: String) -> TextKey? {
    let name = "\(rawValue).\(part)"
    return Words(.en).text(named: name).map { _ in TextKey(rawValue: name) }
  }

  /// The keyboard for the field.
  package var keyboard: KeyboardType {
    switch self {
    case .chip, .age: .numberPad
    case .latitude, .longitude: .decimalPad
    case .phone: .phonePad
    case .email: .emailAddress
    default: .standard
    }
  }

  /// The identifier of the field in tests, independent of the language.
  package var accessibilityID: String {
    switch self {
    case .chip: "missingPet.microchip.input"
    case .photo: "animalPhoto.fileInput.field"
    case .date: "animalDescription.datePicker.tap"
    case .petName: "animalDescription.animalNameTextField.input"
    case .species: "animalDescription.speciesDropdown.tap"
    case .gender: "animalDescription.gender"
    case .description: "animalDescription.descriptionTextArea.input"
    case _ where step == .contact: "ownersDetails.\(rawValue)Input"
    default: "animalDescription.\(rawValue)TextField.input"
    }
  }

  /// Returns the counter, such as `123/500`, or `nil` if the field has no maximum length.
  package func counter(of text: String, in words: Words) -> String? {
    maxLength.map {
      words(
        "additional.counter", ["count": String(min(text.count, $0)), "limit": String($0)])
    }
  }

  /// Returns the field with its contents, as every surface draws it.
  package func model(
    _ text: String, errors: [ValidationError] = [], helper: TextKey? = nil,
    isDisabled: Bool = false, in words: Words
  ) -> ValidatedTextField.Model {
    let helper = helper ?? (self == .chip ? "chip.explanation" : nil)
    return ValidatedTextField.Model(
      label: words(label), placeholder: placeholder.map { words($0) } ?? "", text: text,
      errorMessage: errors.of(self)?.message(in: words), helperText: helper.map { words($0) },
      isDisabled: isDisabled, keyboardType: keyboard, accessibilityID: accessibilityID)
  }
}
