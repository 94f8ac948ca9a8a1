import Foundation
import ImageContainers
import ReportFlow

/// Numbers, sizes and reasons in the command's language.
enum Amounts {
  /// Returns a size in decimal units, as used by shops and file managers: `640 bytes`, `12 KB`, `1.4 MB`.
  static func size(_ bytes: Int) -> String {
    guard bytes >= 1000 else { return L10n.words("amount.bytes", count: bytes) }
    // From here on, the size would be rounded to "1000 KB".
    guard bytes >= 999_500 else { return L10n.words.fileSize(bytes) }
    var value = Double(bytes) / 1_000_000
    var units = ["MB", "GB", "TB", "PB", "EB"][...]
    while value >= 999.5, units.count > 1 {
      value /= 1000
      units = units.dropFirst()
    }
    return L10n.words.decimal(value, digits: value >= 99.95 ? 0 : 1) + " " + (units.first ?? "")
  }

  /// Returns a whole number with thousands separators: `220,000,000`.
  static func number(_ value: Int) -> String { L10n.words.number(value) }

  /// Returns a width and height in pixels: `3024 × 4032`.
  static func dimensions(_ width: Int, _ height: Int) -> String { "\(width) × \(height)" }

  /// Returns a time in the machine's time zone: `2026-11-20 10:00`.
  static func moment(_ date: Date) -> String {
    date.formatted(
      Date.VerbatimFormatStyle(
        format: """
          \(year: .padded(4))-\(month: .twoDigits)-\(day: .twoDigits) \
          \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits)
          """,
        timeZone: .current, calendar: Calendar(identifier: .gregorian)))
  }

  /// Returns an amount with the noun of the limited quantity: `900,000,000 pixels`.
  static func count(_ actual: Int, of what: ContainerLimit) -> String {
    // `.max` means an arithmetic overflow, because the true number doesn't fit into 64 bits.
    if actual == .max { return L10n.words("amount.beyond", ["of": noun(what)]) }
    if what.isBytes {
      return L10n.words("amount.bytesOf", ["size": size(actual), "of": noun(what)])
    }
    return L10n.words("amount.number", ["number": number(actual), "of": noun(what)])
  }

  /// Returns an amount and its limit, in bytes if rounding would make them look equal.
  static func excess(
    _ actual: Int, over allowed: Int, of what: ContainerLimit
  ) -> (amount: String, limit: String) {
    guard what.isBytes, size(actual) == size(allowed) else {
      return (count(actual, of: what), limit(allowed, of: what))
    }
    let amount = L10n.words("amount.bytes", count: actual)
    return (
      L10n.words("amount.bytesOf", ["size": amount, "of": noun(what)]),
      L10n.words("amount.bytes", count: allowed)
    )
  }

  /// Returns the noun of the limited quantity.
  private static func noun(_ what: ContainerLimit) -> String {
    L10n.words.text(named: "limit.\(what.rawValue)") ?? what.rawValue
  }

  /// Returns a limit in its unit.
  static func limit(_ allowed: Int, of what: ContainerLimit) -> String {
    what.isBytes ? size(allowed) : number(allowed)
  }
}
