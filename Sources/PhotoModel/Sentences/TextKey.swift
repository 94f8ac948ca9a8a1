/// The name of a text in the catalogs `en.strings` and `pl.strings` of `Sources/CPhotoTexts` and `Sources/CTexts`. It
/// begins with the place where the text is used, as in `photo.title` or `help.import.dryRun`.
///
/// A test checks that the catalogs contain every name in the sources, and that the sources use every text.
public struct TextKey: RawRepresentable, ExpressibleByStringLiteral, Hashable, Sendable, Codable {
  /// The name.
  public let rawValue: String

  /// Creates a key without checking that the catalogs contain it.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Creates a key from a literal.
  public init(stringLiteral name: String) { self.init(rawValue: name) }
}
