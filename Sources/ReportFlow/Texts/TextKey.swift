/// The name of a text in the catalogs `en.strings` and `pl.strings` of `Sources/CTexts`, which says where the
/// text is used: `photo.title`, `help.import.dryRun`.
///
/// A test looks for every name of the sources in the catalogs, and for every text in the sources.
public struct TextKey: RawRepresentable, ExpressibleByStringLiteral, Hashable, Sendable, Codable {
  /// The name.
  public let rawValue: String

  /// Makes a key; whether the catalogs have it is not checked.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Makes a key from a literal.
  public init(stringLiteral name: String) { self.init(rawValue: name) }
}
