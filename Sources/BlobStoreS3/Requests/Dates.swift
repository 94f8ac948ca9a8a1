package import Foundation
import Glibc

/// Dates of HTTP: `Fri, 24 May 2013 00:00:00 GMT` (RFC 9110, 5.6.7).
package enum HTTPDate {
  /// The moment, nil for another text.
  package static func parse(_ text: String) -> Date? {
    let months = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    let words = text.split(separator: " ")
    guard words.count == 6, words[5] == "GMT", let day = Int32(words[1]),
      let year = Int32(words[3]),
      let month = months.firstIndex(of: String(words[2]))
    else { return nil }
    let time = words[4].split(separator: ":").compactMap { Int32($0) }
    guard time.count == 3, (1...31).contains(day), (1970...9999).contains(year),
      (0...23).contains(time[0]), (0...59).contains(time[1]), (0...60).contains(time[2])
    else { return nil }
    var parts = tm()
    (parts.tm_year, parts.tm_mon, parts.tm_mday) = (year - 1900, Int32(month), day)
    (parts.tm_hour, parts.tm_min, parts.tm_sec) = (time[0], time[1], time[2])
    return Date(timeIntervalSince1970: TimeInterval(timegm(&parts)))
  }
}

/// A moment as requests are signed with it.
struct SigningDate: Sendable, Equatable {
  /// `20130524T000000Z`
  let time: String
  /// `20130524`
  var day: String { String(time.prefix(8)) }

  init(_ date: Date) {
    var seconds = time_t(date.timeIntervalSince1970)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    time =
      "\(parts.tm_year + 1900)\(two(parts.tm_mon + 1))\(two(parts.tm_mday))T"
      + two(parts.tm_hour) + two(parts.tm_min) + two(parts.tm_sec) + "Z"
  }
}
