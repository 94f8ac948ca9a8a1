public import Foundation

/// A species that can be chosen, with its races (seeds 021 and 031, `SpeciesTaxonomyOption`).
public struct SpeciesTaxonomyOption: Sendable, Identifiable, Hashable, Codable {
  /// Stable identifier, such as `dog`.
  public let id: String
  /// Races to suggest, by language; a race may also be any other text.
  public let races: [Language: [String]]
  /// Names by language for species that the catalog of texts does not know.
  public let names: [Language: String]?

  /// A species of these parts.
  public init(id: String, races: [Language: [String]] = [:], names: [Language: String]? = nil) {
    (self.id, self.races, self.names) = (id, races, names)
  }

  /// Reads an option; one without races suggests none.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    id = try values.decode(String.self, forKey: .id)
    races = try values.decodeIfPresent([Language: [String]].self, forKey: .races) ?? [:]
    names = try values.decodeIfPresent([Language: String].self, forKey: .names)
  }

  /// What people call the species.
  public func displayName(in words: Words) -> String {
    words.text(named: "species.\(id)") ?? names?[words.language] ?? id
  }

  /// Suggestions for the race field: those that contain `text`, all of them for no text.
  public func suggestions(for text: String, in words: Words) -> [String] {
    let text = text.trimmed
    let races = races[words.language] ?? []
    return text.isEmpty ? races : races.filter { $0.localizedCaseInsensitiveContains(text) }
  }
}

/// The species one can choose from, a bundled read-only list (seeds 021 and 031,
/// `SpeciesTaxonomy`).
public struct SpeciesTaxonomy: Sendable, Equatable, Codable {
  /// Grows with every edition; the newer of two lists counts.
  public let version: Int
  /// The species in the order they are offered.
  public let options: [SpeciesTaxonomyOption]

  /// The largest list that is read, in bytes.
  static let maxFileBytes = 1 << 20

  /// Reads a list; throws `TaxonomyError` when it is too large, no list, empty, or names a species
  /// twice or with odd characters.
  public init(_ data: Data) throws(TaxonomyError) {
    guard data.count <= Self.maxFileBytes else { throw .tooLarge }
    guard let list = try? JSONDecoder().decode(Self.self, from: data) else { throw .unreadable }
    let ids = list.options.map(\.id)
    guard !ids.isEmpty, Set(ids).count == ids.count,
      ids.allSatisfy({ $0.wholeMatch(of: /[a-z0-9-]{1,40}/) != nil })
    else { throw .invalid }
    self = list
  }

  /// Validates a species: the one place that says which there are, for forms, API and terminal.
  ///
  /// - Parameter id: in any case.
  /// - Returns: the option of this id; nil when the list has none.
  public func option(id: String?) -> SpeciesTaxonomyOption? {
    options.first { $0.id == id?.lowercased() }
  }

  /// What the API says of any other species.
  package var rule: String { "has to be one of \(options.map(\.id).joined(separator: ", "))" }

  /// The list that is part of the module.
  public static let bundled: Self = {
    do { return try Self(TextCatalog.species) } catch {
      preconditionFailure("SpeciesTaxonomy.json: \(error)")
    }
  }()
}

/// Why a list of species was not accepted.
public enum TaxonomyError: Error, Equatable {
  case tooLarge, unreadable, invalid, tooSlow
}
