import Foundation
import ImageContainers
import PhotoAttachments
import PhotoIngestion
import ReportFlow

/// Numbers, sizes and reasons in the language that the command speaks.
enum Amounts {
  /// Bytes in decimal units as shops and file managers count them: `640 bytes`, `12 KB`, `1.4 MB`.
  static func size(_ bytes: Int) -> String {
    let isEnglish = L10n.words.language == .en
    guard bytes >= 1000 else {
      return isEnglish ? (bytes == 1 ? "1 byte" : "\(bytes) bytes") : "\(bytes) B"
    }
    var value = Double(bytes) / 1000
    var units = ["KB", "MB", "GB", "TB", "PB", "EB"][...]
    // From here on it would be shown as "1000 KB".
    while value >= 999.5, units.count > 1 {
      value /= 1000
      units = units.dropFirst()
    }
    let digits = units.first == "KB" || value >= 99.95 ? 0 : 1
    let text = String(format: "%.\(digits)f ", value) + (units.first ?? "")
    return isEnglish ? text : text.replacing(".", with: ",")
  }

  /// A whole number with thousands apart: `220,000,000`, in Polish by spaces that break no line.
  static func number(_ value: Int) -> String {
    let digits = Array(String(value.magnitude))
    let mark = L10n.words(.thousandsSeparator)
    let grouped = digits.indices.reduce(into: "") { text, index in
      if index > 0, (digits.count - index) % 3 == 0 { text += mark }
      text.append(digits[index])
    }
    return (value < 0 ? "-" : "") + grouped
  }

  /// A user by name and number: `anna (1000)`.
  static func user(_ number: Int) -> String {
    guard let entry = getpwuid(uid_t(truncatingIfNeeded: number)) else {
      return L10n.words(.errorUser(number: number))
    }
    return "\(ReadableText.escaped(String(cString: entry.pointee.pw_name))) (\(number))"
  }

  /// Pixels across and down: `3024 × 4032`.
  static func dimensions(_ width: Int, _ height: Int) -> String { "\(width) × \(height)" }

  /// A moment in the machine's time zone: `2026-11-20 10:00`.
  static func moment(_ date: Date) -> String {
    date.formatted(
      Date.VerbatimFormatStyle(
        format: """
          \(year: .padded(4))-\(month: .twoDigits)-\(day: .twoDigits) \
          \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits)
          """,
        timeZone: .current, calendar: Calendar(identifier: .gregorian)))
  }

  /// How much of what a limit bounds was found: `900,000,000 pixels`.
  static func count(_ actual: Int, of what: ContainerLimit) -> String {
    // Stands for an arithmetic overflow: the true number is beyond 64 bits.
    if actual == .max { return L10n.words(.amountBeyond(of: what.rawValue)) }
    return L10n.words(
      what.isBytes
        ? .amountOf(size: size(actual), of: what.rawValue)
        : .amount(number: number(actual), of: what.rawValue))
  }

  /// What was found and its limit, in bytes where units would make them look equal.
  static func excess(
    _ actual: Int, over allowed: Int, of what: ContainerLimit
  ) -> (amount: String, limit: String) {
    guard what.isBytes, size(actual) == size(allowed) else {
      return (count(actual, of: what), limit(allowed, of: what))
    }
    let amount = L10n.words(.bytes(number: number(actual)))
    return (
      L10n.words(.amountOf(size: amount, of: what.rawValue)),
      L10n.words(.bytes(number: number(allowed)))
    )
  }

  /// A limit in the unit of what it bounds.
  static func limit(_ allowed: Int, of what: ContainerLimit) -> String {
    what.isBytes ? size(allowed) : number(allowed)
  }

  /// What the system says of an errno, in lower case as inside a sentence.
  static func reason(_ errno: Int32) -> String { L10n.words(.systemReason(errno: errno)) }

  /// What to do about an errno, as the beginning of a sentence.
  static func remedy(_ errno: Int32) -> String {
    let text: Text =
      switch errno {
      case EMFILE, ENFILE: .remedyFiles
      case ENOMEM, ENOBUFS: .remedyMemory
      case EAGAIN: .remedyProcesses
      case EFBIG: .remedyFileSize
      case EROFS: .remedyReadOnly
      case EACCES, EPERM: .remedyPermissions
      default: .remedyDisk
      }
    return L10n.words(text)
  }
}
