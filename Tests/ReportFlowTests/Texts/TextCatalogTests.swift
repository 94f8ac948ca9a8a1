import Announcements
import Foundation
import Testing

@testable import ReportFlow

/// Compares the catalogs of texts with each other and with the sources that name texts.
@Suite struct TextCatalogTests {
  private static let sources = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../Sources").standardizedFileURL

  /// Returns the texts of a language by name and plural form. A text without forms has the key `nil`.
  private static func texts(of language: Language) -> [String: [PluralForm?: String]] {
    let catalog = ReportCatalog.texts(of: language)
    var texts: [String: [PluralForm?: String]] = [:]
    for (name, text) in catalog {
      let parts = name.split(separator: ".")
      let base = parts.dropLast().joined(separator: ".")
      if let form = parts.last.flatMap({ PluralForm(rawValue: String($0)) }),
        catalog[base + ".one"] != nil
      {
        texts[base, default: [:]][form] = text
      } else {
        texts[name, default: [:]][nil] = text
      }
    }
    return texts
  }

  private func placeholders(_ text: String) -> Set<String> {
    Set(text.matches(of: /\{([a-zA-Z]+)\}/).map { String($0.1) })
  }

  /// The parser agrees with Foundation's, which other tools for such files follow. No text is in both files.
  @Test(arguments: Language.allCases) func catalogsAreFilesOfStrings(_ language: Language) throws {
    let files = try ["CPhotoTexts", "CTexts"].map { module in
      let file = Self.sources.appending(path: "\(module)/\(language.rawValue).strings")
      let list = try PropertyListSerialization.propertyList(
        from: Data(contentsOf: file), format: nil)
      return try #require(list as? [String: String])
    }
    #expect(files[0] == TextCatalog.texts(of: language))
    #expect(Set(files[0].keys).isDisjoint(with: files[1].keys))
    #expect(files[0].merging(files[1]) { $1 } == ReportCatalog.texts(of: language))
  }

  /// Each language has a text for every name: either one for all numbers, or every form of its plural rule.
  @Test(arguments: Language.allCases) func everyLanguageHasEveryText(_ language: Language) {
    let texts = Self.texts(of: language)
    #expect(Set(texts.keys) == Set(Self.texts(of: .en).keys))
    for (name, forms) in texts {
      #expect(
        Set(forms.keys) == [nil] || Set(forms.keys) == Set(PluralForm.all(of: language)), "\(name)")
      for text in forms.values { #expect(!text.isEmpty, "\(name)") }
    }
  }

  @Test func everyTextHasTheSamePlaceholders() {
    let polish = Self.texts(of: .pl)
    for (name, forms) in Self.texts(of: .en) {
      let all = Array(forms.values) + Array((polish[name] ?? [:]).values)
      #expect(Set(all.map(placeholders)).count == 1, "\(name)")
    }
  }

  /// Every name in the sources has a text, and every text has a name in the sources.
  @Test func theSourcesNameEveryText() throws {
    let texts = Self.texts(of: .en)
    var used = Set(
      FormField.allCases.flatMap { field in
        ["label", "title", "placeholder", "help"].map { "\(field.rawValue).\($0)" }
      })
    var families: Set<String> = []
    for (file, source) in try Self.files(ending: "swift") {
      for match in source.matches(of: /"([a-z][a-zA-Z]*(\.[a-zA-Z0-9\/+-]+)+)"/) {
        let name = String(match.1)
        guard texts[name] != nil || !Self.isOtherName(name) else { continue }
        #expect(texts[name] != nil, "\(file) names a text \(name)")
        used.insert(name)
      }
      for match in source.matches(of: /"([a-z][a-zA-Z.-]*\.)\\\(/) {
        families.insert(String(match.1))
      }
    }
    for (file, template) in try Self.files(ending: "mustache") {
      for match in template.matches(of: /\{\{t\.([a-zA-Z.]+)\}\}/) {
        #expect(texts[String(match.1)] != nil, "\(file) names a text \(match.1)")
        used.insert(String(match.1))
      }
    }
    let others = texts.keys.filter { name in
      !used.contains(name) && !families.contains(where: name.hasPrefix)
    }
    #expect(others.isEmpty, "nothing names \(others.sorted())")
  }

  /// A call passes exactly the values that its text shows.
  @Test func callsGiveTheValuesOfTheirTexts() throws {
    let texts = Self.texts(of: .en)
    var calls = 0
    for (file, source) in try Self.files(ending: "swift") {
      for match in source.matches(of: /(?:[wW]ords\(|self\(|text:)\s*"([a-zA-Z0-9.\/+-]+)"/) {
        guard let forms = texts[String(match.1)] else { continue }
        let arguments = Self.arguments(source[match.range.upperBound...])
        var given = Set<String>()
        if arguments.contains(where: { $0.hasPrefix("count:") }) { given.insert("count") }
        if let values = arguments.last, !values.hasPrefix("count:"), !values.isEmpty {
          // The values were put together elsewhere.
          guard values.hasPrefix("[") else { continue }
          given.formUnion(values.matches(of: /"([a-zA-Z]+)":/).map { String($0.1) })
        }
        #expect(
          given == forms.values.map(placeholders).reduce([]) { $0.union($1) },
          "\(match.1) in \(file)")
        calls += 1
      }
    }
    #expect(calls > 200)
  }

  /// Returns the source text between the first argument and the end of the call.
  private static func arguments(_ rest: Substring) -> [String] {
    var arguments = [""]
    var depth = 0
    for character in rest {
      switch character {
      case "(", "[", "{": depth += 1
      case ")", "]", "}": depth -= 1
      default: break
      }
      if depth < 0 { break }
      if character == ",", depth == 0 {
        arguments.append("")
      } else {
        arguments[arguments.count - 1].append(character)
      }
    }
    return arguments.map(\.trimmed)
  }

  /// Returns whether a name isn't that of a text: test IDs, identifiers of the program, and files.
  private static func isOtherName(_ name: String) -> Bool {
    let beginnings = [
      "animalDescription.", "animalPhoto.", "missingPet.", "ownersDetails.", "petspot.",
      "reportMissingPet.", "startup.",
    ]
    return beginnings.contains(where: name.hasPrefix)
      || [".css", ".ico", ".js", ".json", ".svg", ".tsv"].contains(where: name.hasSuffix)
  }

  /// Returns the sources that may name texts, by file.
  private static func files(ending: String) throws -> [(file: String, text: String)] {
    try [
      "PhotoModel", "ReportFlow", "ReportFlowViewModels", "PetSpotServer", "petspot",
      "petspot-server",
    ].flatMap { module in
      let folder = sources.appending(path: module).path
      let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
      return try names.filter { $0.hasSuffix("." + ending) }.map { name in
        ("\(module)/\(name)", try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8))
      }
    }
  }
}
