package import Foundation
public import PhotoModel

/// A species that can be chosen, with its breeds (seeds 021 and 031, `SpeciesTaxonomyOption`).
public struct SpeciesTaxonomyOption: Sendable, Identifiable, Hashable, Codable {
  /// A stable identifier, such as `dog`.
  public let id: String
  /// Suggested breeds by language. Any other text is also accepted as a breed.
  public let races: [Language: [String]]
  /// Names by language, for species that the text catalog doesn't contain.
  public let names: [Language: String]?

  /// Creates a species from these parts.
  public init(id: String, races: [Language: [String]] = [:], names: [Language: String]? = nil) {
    self.id = id
    self.races = races
    self.names = names
  }

  /// Decodes an option. Missing breeds mean no suggestions.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    id = try values.decode(String.self, forKey: .id)
    races = try values.decodeIfPresent([Language: [String]].self, forKey: .races) ?? [:]
    names = try values.decodeIfPresent([Language: String].self, forKey: .names)
  }

  /// Returns the species' name in the language of `words`.
  package func displayName(in words: Words) -> String {
    words.text(named: "species.\(id)") ?? names?[words.language] ?? id
  }

  /// Returns the suggested breeds that contain `text`, or all of them if `text` is blank.
  package func suggestions(for text: String, in words: Words) -> [String] {
    let text = text.trimmed
    let races = races[words.language] ?? []
    return text.isEmpty ? races : races.filter { $0.localizedCaseInsensitiveContains(text) }
  }
}

/// The bundled, read-only list of species that a report can choose from (seeds 021 and 031, `SpeciesTaxonomy`).
public struct SpeciesTaxonomy: Sendable, Equatable, Codable {
  /// The edition number. The list with the higher version is used.
  package let version: Int
  /// The species in display order.
  package let options: [SpeciesTaxonomyOption]

  /// The maximum size of a list in bytes.
  static let maxFileBytes = 1 << 20

  /// Decodes and checks a list. Throws `TaxonomyError` if it's too large, unreadable or empty, if an id is repeated, or
  /// if an id has characters other than `a-z`, `0-9` and `-`.
  package init(_ data: Data) throws(TaxonomyError) {
    guard data.count <= Self.maxFileBytes else { throw .tooLarge }
    guard let list = try? JSONDecoder().decode(Self.self, from: data) else { throw .unreadable }
    let ids = list.options.map(\.id)
    guard !ids.isEmpty, Set(ids).count == ids.count,
      ids.allSatisfy({ $0.wholeMatch(of: /[a-z0-9-]{1,40}/) != nil })
    else { throw .invalid }
    self = list
  }

  /// Looks up a species. Forms, the API and the terminal all validate species with this function.
  ///
  /// - Parameter id: the id in any letter case.
  /// - Returns: the option, or `nil` if the list doesn't contain it.
  package func option(id: String?) -> SpeciesTaxonomyOption? {
    options.first { $0.id == id?.lowercased() }
  }

  /// The API's error text for a species that isn't in the list.
  package var rule: String { "has to be one of \(options.map(\.id).joined(separator: ", "))" }

  /// The list that is built into the module.
  public static let bundled: Self = {
    do { return try Self(ReportCatalog.species) } catch {
      preconditionFailure("SpeciesTaxonomy.json: \(error)")
    }
  }()
}

/// The reasons for rejecting a list of species.
public enum TaxonomyError: Error, Equatable {
  case tooLarge, unreadable, invalid, tooSlow
}
