package import Announcements
import Foundation
@_exported public import PhotoModel

extension Words {
  /// The texts in the language of this process's environment.
  package static let ofProcess = Words(.ofEnvironment)

  /// Creates all texts in `language`.
  package init(_ language: Language) {
    self.init(language, texts: ReportCatalog.texts(of: language))
  }

  /// Parses the texts of all languages now instead of on first use.
  package static func load() {
    for language in Language.allCases { _ = ReportCatalog.texts(of: language) }
  }

  /// Returns a day in long form: `November 20, 2025`, `20 listopada 2025`.
  package func day(_ day: CalendarDay) -> String {
    guard let noon = day.noon else { return day.description }
    var style = Date.FormatStyle(date: .long, time: .omitted, timeZone: .gmt)
    style.locale = Locale(identifier: language.rawValue)
    return noon.formatted(style)
  }

  /// Returns a month, given as `2026-11`, by its name: `November 2026`. Returns `nil` if it doesn't exist.
  package func month(_ month: String) -> String? {
    CalendarDay(month + "-01")?.noon.map {
      var style = Date.FormatStyle(timeZone: .gmt).month(.wide).year()
      style.locale = Locale(identifier: language.rawValue)
      return $0.formatted(style)
    }
  }
}
