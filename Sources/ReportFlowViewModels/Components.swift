public import ReportFlow

/// A color named by its meaning.
public enum SemanticColor: String, Sendable {
  /// Less important text.
  case secondary
  /// Text about a reached limit.
  case warning
}

/// A list for choosing one option (seed 031, `DropdownView`).
public enum DropdownView {
  /// The values that a surface needs to draw the list.
  public struct Model: Sendable, Equatable {
    /// The text above the list.
    public let label: String
    /// The text that is shown until an option is chosen.
    public let placeholder: String
    /// The titles of the options.
    public let options: [String]
    /// The index of the chosen option, or `nil` if nothing is chosen.
    public let selectedIndex: Int?
    /// The error message, or `nil` if the choice is valid.
    public let errorMessage: String?
    /// A notice that doesn't block, such as "Using offline list", or `nil`.
    public let banner: String?
    /// The identifier of the list in tests.
    public let accessibilityID: String

    /// Creates a model from these parts.
    public init(
      label: String, placeholder: String, options: [String], selectedIndex: Int?,
      errorMessage: String? = nil, banner: String? = nil, accessibilityID: String
    ) {
      self.label = label
      self.placeholder = placeholder
      self.options = options
      self.selectedIndex = selectedIndex
      self.errorMessage = errorMessage
      self.banner = banner
      self.accessibilityID = accessibilityID
    }
  }
}

/// A set of mutually exclusive cards (seed 031, `SelectorView`).
public enum SelectorView {
  /// The values that a surface needs to draw the cards.
  public struct Model: Sendable, Equatable {
    /// The text above the cards.
    public let label: String
    /// The titles of the cards.
    public let options: [String]
    /// The index of the chosen card, or `nil` if nothing is chosen.
    public let selectedIndex: Int?
    /// The error message, or `nil` if the choice is valid.
    public let errorMessage: String?
    /// The prefix of every card's identifier in tests, such as `animalDescription.gender`.
    public let accessibilityIDPrefix: String
    /// The identifiers of the cards in tests, independent of the language (lesson P29).
    public let accessibilityIDs: [String]

    /// Creates a model from these parts.
    public init(
      label: String, options: [String], selectedIndex: Int?, errorMessage: String? = nil,
      accessibilityIDPrefix: String, accessibilityIDs: [String]
    ) {
      self.label = label
      self.options = options
      self.selectedIndex = selectedIndex
      self.errorMessage = errorMessage
      self.accessibilityIDPrefix = accessibilityIDPrefix
      self.accessibilityIDs = accessibilityIDs
    }
  }
}

/// Two coordinate fields and the button that fills them (seed 031, `LocationCoordinateView`).
public enum LocationCoordinateView {
  /// The values that a surface needs to draw the fields.
  public struct Model: Sendable, Equatable {
    /// The latitude field.
    public let latitudeField: ValidatedTextField.Model
    /// The longitude field.
    public let longitudeField: ValidatedTextField.Model
    /// The title of the button.
    public let gpsButtonTitle: String
    /// The identifier of the button in tests.
    public let gpsButtonAccessibilityID: String
    /// The result of the last capture, or the purpose of the fields.
    public let helperText: String?

    /// Creates a model from these parts.
    public init(
      latitudeField: ValidatedTextField.Model, longitudeField: ValidatedTextField.Model,
      gpsButtonTitle: String, gpsButtonAccessibilityID: String, helperText: String? = nil
    ) {
      self.latitudeField = latitudeField
      self.longitudeField = longitudeField
      self.gpsButtonTitle = gpsButtonTitle
      self.gpsButtonAccessibilityID = gpsButtonAccessibilityID
      self.helperText = helperText
    }
  }
}

/// A multiline text field with a counter (seed 031, `TextAreaView`).
public enum TextAreaView {
  /// The values that a surface needs to draw the field.
  public struct Model: Sendable, Equatable {
    /// The text above the field.
    public let label: String
    /// The text in the empty field.
    public let placeholder: String
    /// The typed text.
    public let text: String
    /// The maximum number of user-perceived characters.
    public let maxLength: Int
    /// The text of the counter, such as `123/500`.
    public let characterCountText: String
    /// The color of the counter.
    public let characterCountColor: SemanticColor
    /// The identifier of the field in tests.
    public let accessibilityID: String

    /// Creates a model from these parts.
    public init(
      label: String, placeholder: String, text: String, maxLength: Int,
      characterCountText:
        String, characterCountColor: SemanticColor, accessibilityID: String
    ) {
      self.label = label
      self.placeholder = placeholder
      self.text = text
      self.maxLength = maxLength
      self.characterCountText = characterCountText
      self.characterCountColor = characterCountColor
      self.accessibilityID = accessibilityID
    }
  }
}
