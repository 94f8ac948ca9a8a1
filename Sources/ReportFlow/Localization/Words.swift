public import Announcements
import Foundation

/// The languages of the interface (decision 29).
public enum Language: String, Sendable, CaseIterable, Codable, CodingKeyRepresentable {
  case en, pl
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

  /// The text that `Localizable.strings` calls `name`, nil when there is none.
  public func text(named name: String) -> String? { Self.tables[language]?[name] }

  /// The text of `key` in the plural form that `count` takes, with `{count}` replaced.
  public func callAsFunction(_ key: PluralKey, count: Int) -> String {
    let name = "\(key.rawValue).\(PluralForm(count, in: language).rawValue)"
    return fill(text(named: name) ?? name, ["count": grouped(count)])
  }

  /// `number` with this many digits behind the language's decimal sign.
  public func decimal(_ number: Double, digits: Int) -> String {
    let text = number.formatted(
      .number.precision(.fractionLength(digits)).grouping(.never)
        .locale(Locale(identifier: "en_US_POSIX")))
    return text.replacing(".", with: self(.numberDecimalSign))
  }

  /// A day as people write it: `November 20, 2025`, `20 listopada 2025`.
  public func day(_ day: CalendarDay) -> String {
    guard let noon = day.noon else { return day.description }
    var style = Date.FormatStyle(date: .long, time: .omitted, timeZone: .gmt)
    style.locale = Locale(identifier: language.rawValue)
    return noon.formatted(style)
  }

  /// A whole number with its thousands apart, by a sign that breaks no line: `220,000,000`.
  func grouped(_ number: Int) -> String {
    number.formatted(.number.grouping(.automatic).locale(Locale(identifier: language.rawValue)))
  }

  /// `bytes` as decimal kilobytes without fraction, or megabytes with one digit: `1.4 MB`.
  public func fileSize(_ bytes: Int) -> String {
    if bytes < 1000 { return self(.sizeBytes, ["count": String(bytes)]) }
    if bytes < 999_500 {
      return self(.sizeKilobytes, ["count": decimal(Double(bytes) / 1000, digits: 0)])
    }
    return self(.sizeMegabytes, ["count": decimal(Double(bytes) / 1_000_000, digits: 1)])
  }

  /// A limit as it was chosen, in whole mebibytes where it is one: `20 MB`.
  public func limit(_ bytes: Int) -> String {
    guard bytes > 0, bytes.isMultiple(of: 1 << 20) else { return fileSize(bytes) }
    return self(.sizeMegabytes, ["count": String(bytes >> 20)])
  }

  private func fill(_ text: String, _ values: [String: String]) -> String {
    values.reduce(text) { $0.replacing("{\($1.key)}", with: $1.value) }
  }

  /// Every text of `language` by key. The file is named by its path in the module's bundle:
  /// the bundle's own choice would follow the process's locale.
  static func table(of language: Language) -> [String: String] {
    guard
      let file = Bundle.module.url(
        forResource: "Localizable", withExtension: "strings", subdirectory: nil,
        localization: language.rawValue),
      let data = try? Data(contentsOf: file),
      let list = try? PropertyListSerialization.propertyList(from: data, format: nil)
    else { return [:] }
    return list as? [String: String] ?? [:]
  }

  /// Reads the texts of all languages now; otherwise the first one asked for does.
  public static func load() { _ = tables }

  private static let tables = Dictionary(
    uniqueKeysWithValues: Language.allCases.map { ($0, table(of: $0)) })
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
