import Foundation

/// The texts of one language. Callers choose the language for each text, never for the whole process.
package struct Words: Sendable, Equatable {
  /// The language of every text.
  package let language: Language
  private let texts: [String: String]

  /// Creates the texts of a catalog.
  package init(_ language: Language, texts: [String: String]) {
    self.language = language
    self.texts = texts
  }

  /// Creates the texts about photos and stores in `language`.
  static func ofPhotos(_ language: Language) -> Words {
    Words(language, texts: TextCatalog.texts(of: language))
  }

  package static func == (one: Words, other: Words) -> Bool { one.language == other.language }

  /// Returns the text of `key` and replaces each `{name}` with the value of that name.
  package func callAsFunction(_ key: TextKey, _ values: [String: String] = [:]) -> String {
    fill(text(named: key.rawValue) ?? key.rawValue, values)
  }

  /// Returns the text of `key` in the plural form for `count`, and also replaces `{count}`. Falls back to the text
  /// without a plural form.
  package func callAsFunction(
    _ key: TextKey, count: Int, _ values: [String: String] = [:]
  ) -> String {
    let form = text(named: "\(key.rawValue).\(PluralForm(count, in: language).rawValue)")
    return fill(
      form ?? text(named: key.rawValue) ?? key.rawValue,
      values.merging(["count": self.number(count)]) { $1 })
  }

  /// Returns the text with this name, or `nil` if the catalog doesn't contain it.
  package func text(named name: String) -> String? { texts[name] }

  /// Returns `number` with this many fraction digits and the language's decimal separator.
  package func decimal(_ number: Double, digits: Int) -> String {
    let text = number.formatted(
      .number.precision(.fractionLength(digits)).grouping(.never)
        .locale(Locale(identifier: "en_US_POSIX")))
    return text.replacing(".", with: self("number.decimalSign"))
  }

  /// Returns a whole number with grouped thousands, such as `220,000,000`. Polish uses non-breaking spaces.
  package func number(_ value: Int) -> String {
    let digits = Array(String(value.magnitude))
    let mark = self("number.thousandsSeparator")
    let grouped = digits.indices.reduce(into: "") { text, index in
      if index > 0, (digits.count - index) % 3 == 0 { text += mark }
      text.append(digits[index])
    }
    return (value < 0 ? "-" : "") + grouped
  }

  /// Returns `bytes` in decimal units: whole kilobytes, or megabytes with one fraction digit, such as `1.4 MB`.
  package func fileSize(_ bytes: Int) -> String {
    if bytes < 1000 { return self("size.bytes", ["count": String(bytes)]) }
    if bytes < 999_500 {
      return self("size.kilobytes", ["count": decimal(Double(bytes) / 1000, digits: 0)])
    }
    return self("size.megabytes", ["count": decimal(Double(bytes) / 1_000_000, digits: 1)])
  }

  /// Returns a limit in whole mebibytes if it's a multiple of one, labeled as people know it: `20 MB`.
  package func limit(_ bytes: Int) -> String {
    guard bytes > 0, bytes.isMultiple(of: 1 << 20) else { return fileSize(bytes) }
    return self("size.megabytes", ["count": String(bytes >> 20)])
  }

  /// Replaces each `{name}` in a single pass, because a value such as a file name may contain braces.
  package func fill(_ text: String, _ values: [String: String]) -> String {
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
}

/// The plural forms of the supported languages, named as in the Unicode CLDR.
package enum PluralForm: String, CaseIterable {
  case one, few, many, other

  /// Returns the form for a whole number (CLDR plural rules for `en` and `pl`).
  package init(_ count: Int, in language: Language) {
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

  /// Returns the forms that whole numbers can take.
  package static func all(of language: Language) -> [Self] {
    language == .en ? [.one, .other] : [.one, .few, .many]
  }
}
