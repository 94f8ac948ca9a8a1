import Foundation

/// What a reader searches for: announcements of a species in whose name, breed, description, place or
/// species each of the given words begins a word. Upper case and accents don't matter in any language, nor
/// does the stroke of `ł`.
public struct AnnouncementFilter: Sendable, Hashable {
  /// The species of the taxonomy, such as `dog`; nil means every one.
  public let speciesID: String?
  /// The words, folded.
  package let words: [String]

  /// The most characters that are read of what is looked for.
  public static let maxTextLength = 100
  private static let maxWords = 16

  /// A filter by the words of a text and a species; nil when it would let everything pass.
  public init?(text: String, speciesID: String?) {
    words = Array(Self.words(of: text, most: Self.maxTextLength).prefix(Self.maxWords))
    self.speciesID = speciesID
    if words.isEmpty, speciesID == nil { return nil }
  }

  /// The words of a text, of letters and digits, folded: in lower case, without accents.
  ///
  /// - Parameter most: how many scalars of it are looked at.
  package static func words(of text: String, most: Int = .max) -> [String] {
    let text = String(String.UnicodeScalarView(text.unicodeScalars.prefix(most)))
    return folded(text).split { !($0.isLetter || $0.isNumber) }.map(String.init)
  }

  private static func folded(_ text: String) -> String {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.lowercased() }
    var folded = String.UnicodeScalarView()
    for scalar in text.decomposedStringWithCompatibilityMapping.lowercased().unicodeScalars
    where scalar.properties.generalCategory != .nonspacingMark {
      folded.append(scalar == "ł" ? "l" : scalar)
    }
    return String(folded)
  }
}
