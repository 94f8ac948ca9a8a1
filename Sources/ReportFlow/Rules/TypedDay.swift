public import Announcements
import Foundation

/// A day as people write it: `2026-11-22`, `22.11.2026`, `22/11/2026`, `yesterday`, `wczoraj`.
public enum TypedDay: Sendable, Equatable {
  /// The day that is meant.
  case day(CalendarDay)
  /// Numbers of a day that no calendar has, such as 30 February.
  case noSuchDay
  /// Day and month, or month and day: two days can be meant.
  case ambiguous
  /// No day at all.
  case unreadable

  /// Reads `text` as a reader of `language` means it on the day `today`.
  ///
  /// The words of both languages are understood in each. With slashes the day stands first, as on
  /// most of the world; in English a month may stand first when the other way is no day, and what
  /// can be both is not guessed.
  public init(_ text: String, today: CalendarDay, language: Language) {
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

  /// How many days ago these words mean.
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
  /// The day this many days earlier; nil before the calendar begins.
  func before(days: Int) -> CalendarDay? {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    let noon = DateComponents(year: year, month: month, day: day, hour: 12)
    return calendar.date(from: noon)
      .flatMap { calendar.date(byAdding: .day, value: -days, to: $0) }
      .map { CalendarDay($0, in: .gmt) }
  }
}
