import Foundation
import HTTPTypes
import HummingbirdCore
import ReportFlow

/// The fields of a posted form as text.
struct PostedForm: Sendable {
  private let fields: [String: String]

  /// Fields that came in another way; line ends are made `\n`, and what no text may have is left out.
  init(_ fields: [String: String]) {
    self.fields = fields.mapValues {
      $0.replacing("\r\n", with: "\n").replacing("\r", with: "\n").replacing("\0", with: "")
    }
  }

  /// The same fields with another button.
  init(_ form: PostedForm, action: String) {
    fields = form.fields.merging(["action": action]) { $1 }
  }

  /// 500 characters of a person can be many bytes, and escaping triples them.
  private static let limit = 256 << 10

  /// Reads a form of a page.
  ///
  /// - Throws: 415 for another type, 413, 400 for a field that stands twice or is no text.
  static func receive(_ context: RequestContext) async throws -> PostedForm {
    let type = context.header(.contentType)?.split(separator: ";").first?
      .trimmingCharacters(in: .whitespaces).lowercased()
    guard type == "application/x-www-form-urlencoded" else {
      throw ErrorResponse(
        .unsupportedMediaType, "UNSUPPORTED_MEDIA_TYPE",
        "Send the form as application/x-www-form-urlencoded.")
    }
    let body = String(decoding: try await context.body(limit: limit), as: UTF8.self)
    return PostedForm(try FormText.parse(body) { _ in ErrorResponse.badForm })
  }

  /// What stands in a field; empty when there is none.
  subscript(name: String) -> String { fields[name] ?? "" }

  /// What stands in a field; nil when there is none.
  func given(_ name: String) -> String? { fields[name] }

  /// What the button that was pressed asks for.
  var action: StepAction { StepAction(self["action"]) }
}

/// What a button of a step asks for.
enum StepAction: Equatable {
  case next, back
  /// The page again, in this language.
  case language(Language)
  /// The page again, with what was chosen.
  case again(String)

  init(_ text: String) {
    switch text {
    case "", "next": self = .next
    case "back": self = .back
    default:
      if text.hasPrefix("language-"), let language = Language(rawValue: String(text.dropFirst(9))) {
        self = .language(language)
      } else {
        self = .again(text)
      }
    }
  }
}

extension ErrorResponse {
  /// 400: a form that no page of this site sends.
  static var badForm: Self {
    Self(
      .badRequest, "INVALID_PARAMETER",
      "A field of the form appears twice or has an invalid value. Reload the page and try again.")
  }
}
