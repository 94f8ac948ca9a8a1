public import Announcements
import Foundation

/// The languages of the interface (decision 29).
public enum Language: String, Sendable, CaseIterable, Codable, CodingKeyRepresentable {
  case en, pl

  /// The language that an `Accept-Language` header prefers (RFC 9110, 12.5.4), else English.
  public init(acceptLanguage header: String) {
    var best: (language: Self, weight: Double)?
    for entry in header.split(separator: ",").prefix(20) {
      let parts = entry.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
      let name = parts.first?.split(separator: "-").first.map { $0.lowercased() } ?? ""
      guard let language = Self(rawValue: name) else { continue }
      let quality = parts.dropFirst().first { $0.hasPrefix("q=") }
      let weight = quality.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
      if weight > best?.weight ?? 0 { best = (language, weight) }
    }
    self = best?.language ?? .en
  }
}

/// The texts of one language; the language is chosen for each text, never for the whole process.
public struct Words: Sendable, Equatable {
  /// The language of every text.
  public let language: Language

  /// The texts in `language`.
  public init(_ language: Language) { self.language = language }

  /// The text of `key`, with `{name}` replaced by each value of that name.
  public func callAsFunction(_ key: TextKey, _ values: [String: String] = [:]) -> String {
    fill(text(named: key.rawValue) ?? key.rawValue, values)
  }

  /// The text of `key` in the plural form that `count` takes, with `{count}` replaced, too. A text that reads
  /// the same for every number has no forms.
  public func callAsFunction(
    _ key: TextKey, count: Int, _ values: [String: String] = [:]
  ) -> String {
    let form = text(named: "\(key.rawValue).\(PluralForm(count, in: language).rawValue)")
    return fill(
      form ?? text(named: key.rawValue) ?? key.rawValue,
      values.merging(["count": self.number(count)]) { $1 })
  }

  /// The text that the catalog calls `name`, nil when there is none.
  public func text(named name: String) -> String? { TextCatalog.texts(of: language)[name] }

  /// `number` with this many digits behind the language's decimal sign.
  public func decimal(_ number: Double, digits: Int) -> String {
    let text = number.formatted(
      .number.precision(.fractionLength(digits)).grouping(.never)
        .locale(Locale(identifier: "en_US_POSIX")))
    return text.replacing(".", with: self("number.decimalSign"))
  }

  /// A day as people write it: `November 20, 2025`, `20 listopada 2025`.
  public func day(_ day: CalendarDay) -> String {
    guard let noon = day.noon else { return day.description }
    var style = Date.FormatStyle(date: .long, time: .omitted, timeZone: .gmt)
    style.locale = Locale(identifier: language.rawValue)
    return noon.formatted(style)
  }

  /// A whole number with thousands apart: `220,000,000`, in Polish by spaces that break no line.
  package func number(_ value: Int) -> String {
    let digits = Array(String(value.magnitude))
    let mark = self("number.thousandsSeparator")
    let grouped = digits.indices.reduce(into: "") { text, index in
      if index > 0, (digits.count - index) % 3 == 0 { text += mark }
      text.append(digits[index])
    }
    return (value < 0 ? "-" : "") + grouped
  }

  /// `bytes` as decimal kilobytes without fraction, or megabytes with one digit: `1.4 MB`.
  public func fileSize(_ bytes: Int) -> String {
    if bytes < 1000 { return self("size.bytes", ["count": String(bytes)]) }
    if bytes < 999_500 {
      return self("size.kilobytes", ["count": decimal(Double(bytes) / 1000, digits: 0)])
    }
    return self("size.megabytes", ["count": decimal(Double(bytes) / 1_000_000, digits: 1)])
  }

  /// A limit as it was chosen, in whole mebibytes where it is one: `20 MB`.
  public func limit(_ bytes: Int) -> String {
    guard bytes > 0, bytes.isMultiple(of: 1 << 20) else { return fileSize(bytes) }
    return self("size.megabytes", ["count": String(bytes >> 20)])
  }

  /// The text with its `{name}`s replaced in one pass: a value may hold braces, as a file's name does.
  private func fill(_ text: String, _ values: [String: String]) -> String {
    guard !values.isEmpty else { return text }
    var filled = ""
    var rest = text[...]
    while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
      let name = String(rest[rest.index(after: open)..<close])
      filled += rest[..<open]
      filled += values[name] ?? String(rest[open...close])
      rest = rest[rest.index(after: close)...]
    }
    return filled + rest
  }

  /// Parses the texts of all languages now; otherwise the first one asked for does.
  public static func load() {
    for language in Language.allCases { _ = TextCatalog.texts(of: language) }
  }
}

/// The plural forms of our languages, by the Unicode CLDR's names.
enum PluralForm: String, CaseIterable {
  case one, few, many, other

  /// The form that a whole number takes (CLDR plural rules for `en` and `pl`).
  init(_ count: Int, in language: Language) {
    let count = count.magnitude
    switch language {
    case .en: self = count == 1 ? .one : .other
    case .pl:
      let tens = count % 100
      switch count % 10 {
      case 1 where count == 1: self = .one
      case 2...4 where !(12...14).contains(tens): self = .few
      default: self = .many
      }
    }
  }

  /// The forms that whole numbers can take.
  static func all(of language: Language) -> [Self] {
    language == .en ? [.one, .other] : [.one, .few, .many]
  }
}
