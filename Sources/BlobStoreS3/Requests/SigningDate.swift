import Foundation
import Glibc

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
