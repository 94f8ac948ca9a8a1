import ArgumentParser
import Foundation
import ReportFlow

/// Lookup of ids by their first characters, as people copy them from a list. Ids are UUIDs.
enum IDPrefix {
  /// The minimum length of a prefix. A shorter one is more likely a mistake.
  static let shortest = 4

  /// Returns `true` if the text has the form of an id or of a prefix of one, in either case.
  static func looksLike(_ text: String) -> Bool {
    (shortest...36).contains(text.count)
      && zip(text, "HHHHHHHH-HHHH-HHHH-HHHH-HHHHHHHHHHHH").allSatisfy {
        $1 == "-" ? $0 == "-" : $0.isHexDigit && $0.isASCII
      }
  }

  /// Returns the only id in `found`, or `nil` if it is empty.
  ///
  /// - Parameter several: the message if there are several.
  /// - Throws: `Failure` with `ambiguous-id` (exit 64) if there are several.
  static func only(
    _ found: [String], beginning text: String,
    several: TextKey
  ) throws -> String? {
    guard found.count > 1 else { return found.first }
    let list = found.prefix(3).joined(separator: ", ") + (found.count > 3 ? ", …" : "")
    throw Failure(
      code: "ambiguous-id",
      message: L10n.words(several, ["beginning": text, "list": list]),
      exitCode: 64)
  }
}

/// A reference to an announcement by its id or, on this machine, by a unique prefix of it.
struct AnnouncementReference: ParsableArguments {
  @Argument(help: .words("help.option.announcement", "id"), transform: RawArguments.text)
  var given: String

  /// Returns the whole id. A text that is not in the form of an id is returned unchanged and won't be found.
  ///
  /// - Parameter announcements: this machine's announcements, or `nil` for those of a server, which accepts only whole
  ///   ids.
  /// - Throws: `Failure` with `ambiguous-id`, and the errors of `announcements`.
  func id(in announcements: AnnouncementStore?) async throws -> String {
    let text = given.lowercased()
    guard IDPrefix.looksLike(text) else { return given }
    guard let announcements, text.count < 36 else { return text }
    let found = try await announcements.ids(beginning: text, limit: 4)
    return try IDPrefix.only(
      found, beginning: text, several: "usage.severalAnnouncements") ?? given
  }
}
