import Foundation
import HTTPTypes
import HummingbirdCore
import PhotoUploads
import ReportFlow

/// The text fields of a posted form.
struct PostedForm: Sendable {
  private let fields: [String: String]

  /// Creates a form from fields of another source. Line ends become `\n`, and NUL characters are removed.
  init(_ fields: [String: String]) { self.fields = fields.mapValues(Self.tidied) }

  /// Works on bytes, because comparing characters is slow and every line end of a browser's form is CR and LF.
  private static func tidied(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 == 0x0D || $0 == 0 }) else { return text }
    var bytes = [UInt8]()
    var last = UInt8(0)
    bytes.reserveCapacity(text.utf8.count)
    for byte in text.utf8 {
      switch byte {
      case 0: continue
      case 0x0D: bytes.append(0x0A)
      case 0x0A where last == 0x0D: break
      default: bytes.append(byte)
      }
      last = byte
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Creates a form with the same fields and another button.
  init(_ form: PostedForm, action: String) {
    fields = form.fields.merging(["action": action]) { $1 }
  }

  /// The size limit of a form in bytes. 500 characters of a person can be many bytes, and percent-encoding triples
  /// them.
  private static let limit = 256 << 10

  /// Reads a page's form. Counts it for the client before reading.
  ///
  /// - Throws: 429 if the client sends more than ten forms a second after a burst of 600; 415 for another type; 413;
  ///   400 if a field appears twice or isn't text.
  static func receive(_ context: RequestContext, within limits: Limits) async throws -> PostedForm {
    try limits.clients.count(.form, of: context.client)
    guard context.mediaType == "application/x-www-form-urlencoded" else {
      throw ErrorResponse(
        .unsupportedMediaType,
        "Send the form as application/x-www-form-urlencoded.")
    }
    let body = try await context.body(limit: limit)
    return PostedForm(try FormText.parse(body) { _ in ErrorResponse.badForm })
  }

  /// Returns the text of a field. Empty if the field is missing.
  subscript(name: String) -> String { fields[name] ?? "" }

  /// Returns the text of a field. `nil` if the field is missing.
  func given(_ name: String) -> String? { fields[name] }

  /// The action of the button that was pressed.
  var action: StepAction { StepAction(self["action"]) }
}

/// The action of a step's button.
enum StepAction: Equatable {
  case next, back
  /// Show the page again in another language.
  case language(Language)
  /// Show the page again after an action that belongs to the page.
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
  /// 400: no page of this site sends such a form.
  static var badForm: Self {
    Self(
      .invalidParameter,
      "A field of the form appears twice or has an invalid value. Reload the page and try again.")
  }
}

extension UploadedForm {
  /// The form's fields. Throws 400 if a field appears twice or isn't UTF-8.
  var posted: PostedForm {
    get throws(ErrorResponse) {
      if hasBadField { throw .badForm }
      return PostedForm(fields)
    }
  }
}
