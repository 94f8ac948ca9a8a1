import ArgumentParser
import Foundation
import ReportFlow

/// An announcement as a person names it: by its id, and on this machine also by a beginning that no
/// other announcement's id has.
struct AnnouncementReference: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      Speech.pick(
        en: "The announcement's id; on this machine its beginning is enough.",
        pl: "Identyfikator ogłoszenia; na tym komputerze wystarczy jego początek."),
      valueName: "id"),
    transform: RawArguments.text)
  var given: String

  /// The whole id; what looks like none is left as it is, and will not be found.
  ///
  /// - Parameter announcements: this machine's; nil for a server's, which takes whole ids alone.
  /// - Throws: `ReportFailure` with `ambiguous-id`, and what `announcements` throws.
  func id(in announcements: AnnouncementStore?) async throws -> String {
    let text = given.lowercased()
    guard IDBeginning.looksLike(text) else { return given }
    guard let announcements, text.count < 36 else { return text }
    let found = try await announcements.ids(beginning: text, limit: 4)
    return try IDBeginning.only(
      found, beginning: text, whose: (en: "announcements'", pl: "ogłoszeń")) ?? given
  }
}
