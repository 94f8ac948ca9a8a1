import ArgumentParser
import Foundation
import ReportFlow

/// The beginning of an id, as people give it who read it off a list. Ids are UUIDs.
enum IDPrefix {
  /// Letters below which a beginning is a mistake more often than a choice.
  static let shortest = 4

  /// Whether a whole id or a beginning of one looks like this, in small letters or capital ones.
  static func looksLike(_ text: String) -> Bool {
    (shortest...36).contains(text.count)
      && zip(text, "HHHHHHHH-HHHH-HHHH-HHHH-HHHHHHHHHHHH").allSatisfy {
        $1 == "-" ? $0 == "-" : $0.isHexDigit && $0.isASCII
      }
  }

  /// The one id among those that begin with `text`; nil for none.
  ///
  /// - Parameter several: the message when there are several.
  /// - Throws: `Failure` with `ambiguous-id` (exit 64) when there are several.
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

/// An announcement as a person names it: by its id, and on this machine also by a beginning that no
/// other announcement's id has.
struct AnnouncementReference: ParsableArguments {
  @Argument(help: .words("help.option.announcement", "id"), transform: RawArguments.text)
  var given: String

  /// The whole id; what looks like none is left as it is, and will not be found.
  ///
  /// - Parameter announcements: this machine's; nil for a server's, which takes whole ids alone.
  /// - Throws: `Failure` with `ambiguous-id`, and what `announcements` throws.
  func id(in announcements: AnnouncementStore?) async throws -> String {
    let text = given.lowercased()
    guard IDPrefix.looksLike(text) else { return given }
    guard let announcements, text.count < 36 else { return text }
    let found = try await announcements.ids(beginning: text, limit: 4)
    return try IDPrefix.only(
      found, beginning: text, several: "usage.severalAnnouncements") ?? given
  }
}
