import Announcements
import Foundation
import PhotoModel

extension String {
  /// The text without surrounding white space and line breaks.
  var trimmed: String { trimmingCharacters(in: .whitespacesAndNewlines) }
  /// The text, or `nil` if it contains only white space.
  var nilIfBlank: String? { trimmed.isEmpty ? nil : self }
}

/// The rules for the microchip field (step 1 of the shipped apps).
package enum ChipNumber {
  /// The maximum number of digits.
  package static let maxDigits = 15

  /// Returns the first 15 ASCII digits of `text`. Drops everything else, including digits of other scripts (lesson
  /// P19).
  package static func digits(_ text: String) -> String {
    String(PhoneNumber.digits(text).prefix(maxDigits))
  }

  /// Returns the digits in groups of five, such as `12345-67890-1`. Formatting is idempotent.
  package static func format(_ text: String) -> String {
    let digits = Array(digits(text))
    return stride(from: 0, to: digits.count, by: 5).map {
      String(digits[$0..<min($0 + 5, digits.count)])
    }.joined(separator: "-")
  }
}

/// The rule for the age field: empty, or a whole number from 0 to 40 in ASCII digits.
package enum AgeRule {
  /// Returns the age in whole years. An empty text and 0 both mean "not known" and return `nil` as a success.
  package static func age(_ text: String) -> Result<Int?, ValidationError> {
    let text = text.trimmed
    if text.isEmpty { return .success(nil) }
    guard text.wholeMatch(of: /-?[0-9]+/) != nil else {
      return .failure(.invalidAge("age.notWhole"))
    }
    guard let age = Int(text), (0...40).contains(age) else {
      return .failure(.invalidAge("age.invalid"))
    }
    return .success(age == 0 ? nil : age)
  }
}

extension ValidationError: Error {}

/// The rules for the contact step (decision 21).
package enum ContactRules {
  /// The maximum number of characters in the reporter's name, the same as for a pet's name.
  package static let maxNameLength = Announcement.maxNameLength

  /// Returns the details in `input`, or all errors at once, in the order of the fields.
  package static func details(
    from input: TypedTexts
  ) -> Result<ContactDetails, ValidationErrors> {
    var errors = [ValidationError]()
    let name = input[.name].trimmed
    let email = input[.email].trimmed
    if name.isEmpty { errors.append(.missingName) }
    if name.count > maxNameLength {
      errors.append(.invalidName("contact.nameTooLong"))
    } else if !name.fits(characters: maxNameLength) {
      errors.append(.invalidName("text.oversized"))
    }
    if let text = phoneError(input[.phone]) { errors.append(.invalidPhone(text)) }
    if !email.isEmpty, !isEmail(email) { errors.append(.invalidEmail) }
    if !input[.reward].fits(characters: FormField.reward.limit) {
      errors.append(.invalidText(.reward))
    }
    guard errors.isEmpty else { return .failure(ValidationErrors(errors)) }
    return .success(
      ContactDetails(
        name: name, phone: input[.phone].trimmed, email: email.nilIfBlank,
        rewardDescription: input[.reward].nilIfBlank))
  }

  private static func phoneError(_ text: String) -> TextKey? {
    let text = text.trimmed
    if !text.fits(characters: FormField.phone.limit) { return "text.oversized" }
    if PhoneNumber.isValid(text) { return nil }
    return switch PhoneNumber.digits(text).count {
    case ..<7: "contact.phoneTooShort"
    case 16...: "contact.phoneTooLong"
    default: "contact.phoneCharacters"
    }
  }

  /// Returns `true` if `text` is an address that mail servers accept. The local part may not have leading, trailing or
  /// double dots, and the last label of the domain needs at least two letters (lesson P20).
  package static func isEmail(_ text: String) -> Bool {
    text.utf8.count <= 254
      && text.wholeMatch(
        of:
          /[A-Za-z0-9_%+\-]+(\.[A-Za-z0-9_%+\-]+)*@([A-Za-z0-9]([A-Za-z0-9\-]*[A-Za-z0-9])?\.)+[A-Za-z]{2,}/
      ) != nil
  }
}

/// All errors of a form. There is at least one.
package struct ValidationErrors: Error, Equatable {
  /// The errors in the order of the fields.
  package let errors: [ValidationError]
  package init(_ errors: [ValidationError]) { self.errors = errors }
}
