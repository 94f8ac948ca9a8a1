public import Announcements

/// The kind of keyboard that a field needs.
public enum KeyboardType: String, Sendable {
  case standard, numberPad, decimalPad, phonePad, emailAddress
}

/// A color by its meaning.
public enum SemanticColor: String, Sendable {
  /// Text beside the point.
  case secondary
  /// A limit is reached.
  case warning
}

/// A text field with an error below (seed 031, `ValidatedTextField`).
public enum ValidatedTextField {
  /// Everything a surface needs to draw the field.
  public struct Model: Sendable, Equatable {
    /// What stands above the field.
    public let label: String
    /// What stands in the empty field.
    public let placeholder: String
    /// What is typed.
    public let text: String
    /// What is wrong; nil when nothing is.
    public let errorMessage: String?
    /// Why the field is disabled, or what it is for; nil when there is nothing to say.
    public let helperText: String?
    /// Whether nothing can be typed.
    public let isDisabled: Bool
    /// What to type with.
    public let keyboardType: KeyboardType
    /// Names the field in tests, the same in every language.
    public let accessibilityID: String

    /// A field of these parts.
    public init(
      label: String, placeholder: String = "", text: String = "", errorMessage: String? = nil,
      helperText: String? = nil, isDisabled: Bool = false, keyboardType: KeyboardType = .standard,
      accessibilityID: String
    ) {
      (self.label, self.placeholder, self.text) = (label, placeholder, text)
      (self.errorMessage, self.helperText) = (errorMessage, helperText)
      (self.isDisabled, self.keyboardType) = (isDisabled, keyboardType)
      self.accessibilityID = accessibilityID
    }
  }
}

/// A list to choose one text from (seed 031, `DropdownView`).
public enum DropdownView {
  /// Everything a surface needs to draw the list.
  public struct Model: Sendable, Equatable {
    /// What stands above the list.
    public let label: String
    /// What stands in it while nothing is chosen.
    public let placeholder: String
    /// What can be chosen, as people read it.
    public let options: [String]
    /// Which option is chosen, from 0; nil for none.
    public let selectedIndex: Int?
    /// What is wrong; nil when nothing is.
    public let errorMessage: String?
    /// A note that does not block, as "Using offline list"; nil for none.
    public let banner: String?
    /// Names the list in tests.
    public let accessibilityID: String
  }
}

/// Cards that exclude each other (seed 031, `SelectorView`).
public enum SelectorView {
  /// Everything a surface needs to draw the cards.
  public struct Model: Sendable, Equatable {
    /// What stands above the cards.
    public let label: String
    /// What can be chosen, as people read it.
    public let options: [String]
    /// Which card is chosen, from 0; nil for none.
    public let selectedIndex: Int?
    /// What is wrong; nil when nothing is.
    public let errorMessage: String?
    /// The beginning of every card's name in tests, as `animalDescription.gender`.
    public let accessibilityIDPrefix: String
    /// The whole names in tests, the same in every language (lesson P29).
    public let accessibilityIDs: [String]
  }
}

/// Two coordinate fields and a button that fills them (seed 031, `LocationCoordinateView`).
public enum LocationCoordinateView {
  /// Everything a surface needs to draw the fields.
  public struct Model: Sendable, Equatable {
    /// The latitude's field.
    public let latitudeField: ValidatedTextField.Model
    /// The longitude's field.
    public let longitudeField: ValidatedTextField.Model
    /// What stands on the button.
    public let gpsButtonTitle: String
    /// Names the button in tests.
    public let gpsButtonAccessibilityID: String
    /// How the capture went, or what the fields are for.
    public let helperText: String?
  }
}

/// A field of several lines with a counter (seed 031, `TextAreaView`).
public enum TextAreaView {
  /// Everything a surface needs to draw the field.
  public struct Model: Sendable, Equatable {
    /// What stands above the field.
    public let label: String
    /// What stands in the empty field.
    public let placeholder: String
    /// What is typed.
    public let text: String
    /// The most characters, as a person counts them.
    public let maxLength: Int
    /// The counter, as `123/500`.
    public let characterCountText: String
    /// The counter's color.
    public let characterCountColor: SemanticColor
    /// Names the field in tests.
    public let accessibilityID: String
  }
}

extension FormField {
  /// What stands above the field.
  public var label: TextKey { text("label") ?? "photo.title" }

  /// What the field is called where it isn't filled in: without the form's `(optional)`.
  public var name: TextKey { text("title") ?? label }

  /// What stands in the empty field; nil for one that says nothing or is chosen.
  public var placeholder: TextKey? { text("placeholder") }

  /// What an option of a command says of it.
  public var help: TextKey? { text("help") }

  private func text(_ part: String) -> TextKey? {
    let name = "\(rawValue).\(part)"
    return Words(.en).text(named: name).map { _ in TextKey(rawValue: name) }
  }

  /// What to type with.
  public var keyboard: KeyboardType {
    switch self {
    case .chip, .age: .numberPad
    case .latitude, .longitude: .decimalPad
    case .phone: .phonePad
    case .email: .emailAddress
    default: .standard
    }
  }

  /// Names the field in tests, the same in every language.
  public var accessibilityID: String {
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

  /// `123/500`; nil without a limit.
  public func counter(of text: String, in words: Words) -> String? {
    maxLength.map {
      words(
        "additional.counter", ["count": String(min(text.count, $0)), "limit": String($0)])
    }
  }

  /// The field with what stands in it, as every surface draws it.
  public func model(
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
