/// What is wrong with one field of a request's body, as the list `errors` of an answer names it.
struct FieldError: Error, Sendable, Equatable {
  /// The codes of the contract's status 400.
  enum Code: String, Sendable {
    /// A required field is absent, null or blank.
    case missingValue = "MISSING_VALUE"
    /// A field has another type or breaks its rule.
    case invalidFormat = "INVALID_FORMAT"
    /// There is no such field.
    case invalidField = "INVALID_FIELD"
  }

  /// What kind of error.
  var code: Code
  /// An English sentence.
  var message: String
  /// The key; those of objects inside are joined by dots, as in `location.latitude`.
  var field: String
}

/// Reads the fields of a request's body by name and type, and keeps every error instead of stopping
/// at the first (decision 26).
///
/// Each reading gives nil when the field is absent or at fault; null and a blank string are the
/// same as absence.
struct FieldReader {
  private let object: JSONObject
  private let prefix: String
  private var asked: Set<String> = []
  private var errors: [FieldError] = []
  private var unknownInside: [FieldError] = []

  /// Whether keys may be absent that are required; null or blank they may not be.
  private var isPartial = false

  /// A reader of a whole body.
  ///
  /// - Parameter isPartial: whether keys may be absent that are required, as in a change; fields of
  ///   objects inside may not.
  init(_ object: JSONObject, isPartial: Bool = false) {
    self.init(object, prefix: "")
    self.isPartial = isPartial
  }

  private init(_ object: JSONObject, prefix: String) {
    (self.object, self.prefix) = (object, prefix)
  }

  /// A text that is not blank, spaces around it included.
  mutating func string(_ key: String, required: Bool) -> String? {
    switch value(key, required: required) {
    case nil: return nil
    case .string(let text)?: return text
    default:
      refuse(key, "has to be a string")
      return nil
    }
  }

  /// A number.
  mutating func number(_ key: String, required: Bool) -> Double? {
    switch value(key, required: required) {
    case nil: return nil
    case .number(let number, _)?: return number
    default:
      refuse(key, "has to be a number")
      return nil
    }
  }

  /// A whole number between -2^53 and 2^53, beyond which readers of JSON disagree; `1.0` and `1e2`
  /// are whole.
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

  /// An object, whose fields `read` reads; gives what `read` gives.
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

  /// Adds an error for a value that breaks a rule of its own; `rule` is the end of a sentence that
  /// begins with the field, such as "has to be 0 to 40".
  mutating func refuse(_ key: String, _ rule: String) {
    add(.invalidFormat, key, rule)
  }

  /// All errors in the order of the questions, then one for each key that was not asked for.
  func finish() -> [FieldError] { errors + unknown }

  private var unknown: [FieldError] {
    object.members.filter { !asked.contains($0.key) }.map {
      error(.invalidField, $0.key, "isn't a known field")
    } + unknownInside
  }

  /// The value, or nil when it counts as absent.
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
    // The spaces of ASCII by their bytes, because a body full of them would take a second.
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
