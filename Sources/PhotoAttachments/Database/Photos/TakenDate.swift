package import Foundation

/// The date on which a photo was taken, from the best place that has one (decision 94).
package struct TakenDate: Sendable, Equatable {
  /// The places where dates are found, best first.
  package enum Source: String, Sendable, CaseIterable {
    /// The photo's own metadata.
    case exif
    /// The metadata that Google Takeout writes beside a photo.
    case sidecar
    /// The file name, in a form that apps and cameras give.
    case name

    /// Returns `true` if dates of another source are better.
    func isWorse(than other: Source) -> Bool {
      Self.allCases.drop { $0 != other }.dropFirst().contains(self)
    }
  }

  /// The day, or a moment in ISO 8601 format.
  package var text: String
  package var source: Source

  package init(_ text: String, from source: Source) {
    self.text = text
    self.source = source
  }

  /// Returns the first of these dates that is possible: since 1990, and not in the future.
  package static func best(of dates: [TakenDate?], now: Date) -> TakenDate? {
    // Somewhere it is already tomorrow.
    let last = now.addingTimeInterval(14 * 3600).ISO8601Format().prefix(10)
    return dates.lazy.compactMap(\.self).first { "1990" <= $0.text && $0.text.prefix(10) <= last }
  }

  /// Returns `true` if this date is from a better place than another one.
  func isBetter(than other: TakenDate?) -> Bool {
    guard let other else { return true }
    return other.source.isWorse(than: source)
  }
}

extension TakenDate {
  /// Returns the time in the metadata that Google Takeout writes for a photo, or `nil` if it is missing.
  package init?(takeout json: Data) {
    struct Metadata: Decodable {
      struct Time: Decodable { var timestamp: String }
      var photoTakenTime: Time
    }
    guard let metadata = try? JSONDecoder().decode(Metadata.self, from: json),
      let seconds = Int64(metadata.photoTakenTime.timestamp), abs(seconds) < 1 << 40
    else { return nil }
    let date = Date(timeIntervalSince1970: Double(seconds))
    self.init(date.ISO8601Format(), from: .sidecar)
  }

  /// Returns the day in a file name: `IMG-20240315-WA0001`, `PXL_20240315_101112345`, `Screenshot 2024-03-15 at 10.11`,
  /// `signal-2024-03-15-101112`, `20240315_101112`. Returns `nil` for any other name, because digits may mean anything.
  package init?(fileName: String) {
    let name = PhotoQuery.folded(fileName)
    let apps =
      #/
      (img|vid|mvimg|pxl|pano|burst|dsc|wp|signal|photo|image|lrm|snapchat|camera|whatsapp\ image
      |screenshot(\ from)?|screen\ shot|zrzut\ ekranu(\ z)?|bildschirmfoto(\ vom)?)?[-_\ ]*
      /#
    let date = /(\d{4})([-_.]?)(\d\d)\2(\d\d)/
    guard let app = name.prefixMatch(of: apps),
      let match = name[app.range.upperBound...].prefixMatch(of: date)
    else { return nil }
    let (_, year, separator, month, day) = match.output
    let rest = name[match.range.upperBound...]
    let isTimed = rest.prefixMatch(of: /(-wa\d|[-_. ,t]*(at |o |um )?\d\d[-_.: h]?\d\d)/) != nil
    let isAlone = rest.prefixMatch(of: /([-_ ]\d{1,2}|[-_ ]?\(\d{1,2}\))?(\.[a-z0-9]+)?$/) != nil
    guard isTimed || isAlone && (app.output.1 != nil || !separator.isEmpty),
      Self.isDay(Int(year) ?? 0, Int(month) ?? 0, Int(day) ?? 0)
    else { return nil }
    self.init("\(year)-\(month)-\(day)", from: .name)
  }

  private static func isDay(_ year: Int, _ month: Int, _ day: Int) -> Bool {
    let lengths = [31, year % 4 == 0 ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    return (1990...2199).contains(year) && lengths.indices.contains(month - 1)
      && (1...lengths[month - 1]).contains(day)
  }
}
