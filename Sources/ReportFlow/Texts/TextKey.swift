/// The name of a text in the catalogs `en.strings` and `pl.strings` of `Sources/CTexts`, which says where the
/// text is used: `photo.title`, `help.import.dryRun`.
///
/// A test looks for every name of the sources in the catalogs, and for every text in the sources.
public struct TextKey: RawRepresentable, ExpressibleByStringLiteral, Hashable, Sendable, Codable {
  /// The name.
  public let rawValue: String

  /// The text of this name, whether there is one or not.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The text of this name.
  public init(stringLiteral name: String) { self.init(rawValue: name) }
}
