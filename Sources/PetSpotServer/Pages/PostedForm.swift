import Foundation
import HTTPTypes
import HummingbirdCore
import ReportFlow

/// The fields of a posted form as text.
struct PostedForm: Sendable {
  private let fields: [String: String]

  /// Fields that came in another way; line ends are made `\n`, and what no text may have is left out.
  init(_ fields: [String: String]) { self.fields = fields.mapValues(Self.tidied) }

  /// Done on bytes: to replace characters compares them, and a browser sends each line end in two.
  private static func tidied(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 == 0x0D || $0 == 0 }) else { return text }
    var (bytes, last) = ([UInt8](), UInt8(0))
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

  /// The same fields with another button.
  init(_ form: PostedForm, action: String) {
    fields = form.fields.merging(["action": action]) { $1 }
  }

  /// 500 characters of a person can be many bytes, and escaping triples them.
  private static let limit = 256 << 10

  /// Reads a form of a page, which counts as the client's before it is read.
  ///
  /// - Throws: 429 for more than ten a second; 415 for another type, 413, 400 for a field that stands twice
  ///   or is no text.
  static func receive(_ context: RequestContext, on site: Site) async throws -> PostedForm {
    try site.clients.count(.form, of: context.client)
    guard context.mediaType == "application/x-www-form-urlencoded" else {
      throw ErrorResponse(
        .unsupportedMediaType, "UNSUPPORTED_MEDIA_TYPE",
        "Send the form as application/x-www-form-urlencoded.")
    }
    let body = try await context.body(limit: limit)
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
