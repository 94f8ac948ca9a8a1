import Foundation

/// The time of a signature.
struct SigningDate: Sendable, Equatable {
  /// `20130524T000000Z`
  let time: String
  /// `20130524`
  var day: String { String(time.prefix(8)) }

  init(_ date: Date) {
    time = date.formatted(.iso8601.dateSeparator(.omitted).timeSeparator(.omitted))
  }
}
