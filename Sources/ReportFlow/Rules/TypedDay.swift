package import Announcements
import Foundation
package import PhotoModel

/// The result of reading a typed day, such as `2026-11-22`, `22.11.2026`, `22/11/2026`, `yesterday` or `wczoraj`.
package enum TypedDay: Sendable, Equatable {
  /// The text names this day.
  case day(CalendarDay)
  /// The text has the form of a date that doesn't exist, such as 30 February.
  case noSuchDay
  /// The text names two different days, depending on whether the day or the month comes first.
  case ambiguous
  /// The text isn't a date.
  case unreadable

  /// Interprets `text` as a reader of `language` would on the day `today`.
  ///
  /// Both languages accept the words of either. In dates with slashes the day comes first, as in most of the world. In
  /// English the month may come first if the other order isn't a date. If both orders give different dates, the result
  /// is `ambiguous`.
  package init(_ text: String, today: CalendarDay, language: Language) {
    let text = text.trimmed.lowercased()
    if let ago = Self.words[text] {
      self = today.before(days: ago).map(Self.day) ?? .unreadable
      return
    }
    if let parts = text.wholeMatch(of: /([0-9]{4})[-.\/]([0-9]{1,2})[-.\/]([0-9]{1,2})\.?/)?.output
    {
      self = Self.of(parts.1, parts.2, parts.3).map(Self.day) ?? .noSuchDay
      return
    }
    guard
      let parts = text.wholeMatch(of: /([0-9]{1,2})([-.\/ ])\s?([0-9]{1,2})[-.\/ ]\s?([0-9]{4})/)?
        .output
    else {
      self = .unreadable
      return
    }
    let dayFirst = Self.of(parts.4, parts.3, parts.1)
    let monthFirst = language == .en && parts.2 == "/" ? Self.of(parts.4, parts.1, parts.3) : nil
    switch (dayFirst, monthFirst) {
    case (let first?, let second?) where first != second: self = .ambiguous
    case (let day?, _), (nil, let day?): self = .day(day)
    case (nil, nil): self = .noSuchDay
    }
  }

  /// The number of days ago for each word.
  private static let words = [
    "today": 0, "dziś": 0, "dzis": 0, "dzisiaj": 0, "yesterday": 1, "wczoraj": 1,
    "przedwczoraj": 2,
  ]

  private static func of(
    _ year: Substring, _ month: Substring, _ day: Substring
  ) -> CalendarDay? {
    guard let year = Int(year), let month = Int(month), let day = Int(day) else { return nil }
    return CalendarDay(year: year, month: month, day: day)
  }
}

extension CalendarDay {
  /// Returns the day this many days earlier, or `nil` if it's before the calendar begins.
  func before(days: Int) -> CalendarDay? {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    let noon = DateComponents(year: year, month: month, day: day, hour: 12)
    return calendar.date(from: noon)
      .flatMap { calendar.date(byAdding: .day, value: -days, to: $0) }
      .map { CalendarDay($0, in: .gmt) }
  }
}
