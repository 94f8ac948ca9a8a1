/// A problem of one field in a request's body, as it appears in the list `errors` of a response.
struct FieldError: Error, Sendable, Equatable {
  /// The documented codes for status 400.
  enum Code: String, Sendable {
    /// A required field is missing, null or blank.
    case missingValue = "MISSING_VALUE"
    /// A field has the wrong type or breaks its rule.
    case invalidFormat = "INVALID_FORMAT"
    /// The field is unknown.
    case invalidField = "INVALID_FIELD"
  }

  var code: Code
  /// An English sentence.
  var message: String
  /// The field's key. For a nested object, the keys are joined with dots, as in `location.latitude`.
  var field: String
}

/// Reads the fields of a request's body by name and type. Collects all errors instead of stopping at the first
/// (decision 26).
///
/// Each method returns `nil` if the field is missing or invalid. Null and a blank string count as missing.
struct FieldReader {
  private let object: JSONObject
  private let prefix: String
  private var asked: Set<String> = []
  private var errors: [FieldError] = []
  /// The errors of unknown keys in nested objects.
  private var unknownInside: [FieldError] = []

  /// `true` if required keys may be missing. They may still not be null or blank.
  private var isPartial = false

  /// Creates a reader for a whole body.
  ///
  /// - Parameter isPartial: `true` if required keys may be missing, as in a change. The fields of nested objects may
  ///   not.
  init(_ object: JSONObject, isPartial: Bool = false) {
    self.init(object, prefix: "")
    self.isPartial = isPartial
  }

  private init(_ object: JSONObject, prefix: String) {
    self.object = object
    self.prefix = prefix
  }

  /// Returns a text that is not blank, including spaces around it.
  mutating func string(_ key: String, required: Bool) -> String? {
    switch value(key, required: required) {
    case nil: return nil
    case .string(let text)?: return text
    default:
      refuse(key, "has to be a string")
      return nil
    }
  }

  mutating func number(_ key: String, required: Bool) -> Double? {
    switch value(key, required: required) {
    case nil: return nil
    case .number(let number, _)?: return number
    default:
      refuse(key, "has to be a number")
      return nil
    }
  }

  /// Returns a whole number between -2^53 and 2^53. JSON readers disagree about larger ones. `1.0` and `1e2` are whole.
  mutating func integer(_ key: String, required: Bool) -> Int? {
    switch value(key, required: required) {
    case nil: return nil
    case .number(let number, _)? where abs(number) < 0x1p53:
      if let integer = Int(exactly: number) { return integer }
    default: break
    }
    refuse(key, "has to be a whole number")
    return nil
  }

  /// Reads a nested object with `read`, and returns its result.
  mutating func object<Result>(
    _ key: String, required: Bool, _ read: (inout FieldReader) -> Result
  ) -> Result? {
    switch value(key, required: required) {
    case nil: return nil
    case .object(let inner)?:
      var reader = FieldReader(inner, prefix: prefix + key + ".")
      let result = read(&reader)
      errors += reader.errors
      unknownInside += reader.unknown
      return result
    default:
      refuse(key, "has to be an object")
      return nil
    }
  }

  /// Adds an error for a value that breaks a rule of its field. `rule` is the end of a sentence that begins with the
  /// field, such as "has to be 0 to 40".
  mutating func refuse(_ key: String, _ rule: String) {
    add(.invalidFormat, key, rule)
  }

  /// Returns all errors in the order in which fields were read, then one for each unknown key.
  func finish() -> [FieldError] { errors + unknown }

  private var unknown: [FieldError] {
    object.members.filter { !asked.contains($0.key) }.map {
      error(.invalidField, $0.key, "isn't a known field")
    } + unknownInside
  }

  /// Returns the value, or `nil` if it counts as missing.
  private mutating func value(_ key: String, required: Bool) -> JSONValue? {
    asked.insert(key)
    switch object[key] {
    case nil where isPartial: return nil
    case nil, .null?: break
    case .string(let text)? where Self.isBlank(text): break
    case let value?: return value
    }
    if required { add(.missingValue, key, "is required") }
    return nil
  }

  private static func isBlank(_ text: String) -> Bool {
    // Skip ASCII spaces as bytes, because a body full of them would otherwise take a second.
    let rest = text.utf8.drop { $0 == 0x20 || 0x09...0x0D ~= $0 }
    return Substring(rest).unicodeScalars.allSatisfy(\.properties.isWhitespace)
  }

  private mutating func add(_ code: FieldError.Code, _ key: String, _ rule: String) {
    errors.append(error(code, key, rule))
  }

  private func error(_ code: FieldError.Code, _ key: String, _ rule: String) -> FieldError {
    let field = prefix + key
    return FieldError(code: code, message: "\"\(field)\" \(rule).", field: field)
  }
}
