import Foundation

/// A search in announcements. An announcement matches if it is of the given species, and if each of the given words
/// begins a word of its name, breed, description, place or species, or another form of such a word (decision 88).
///
/// Case, accents and the stroke of `ł` are ignored in every language. In words of five letters or more, one letter may
/// be wrong (decision 60).
public struct AnnouncementFilter: Sendable, Hashable {
  /// The species of the taxonomy, such as `dog`. `nil` matches every species.
  public let speciesID: String?
  /// The words to find, folded.
  package let words: [String]

  /// The number of characters of a search text that are read. The rest is ignored.
  public static let maxTextLength = 100
  private static let maxWords = 16
  /// Words that don't describe a pet. A search ignores them beside others, as in "lost cat in Mokotów".
  private static let common = Set(
    """
    a al and at by found from i in lost missing na near nad o obok od of on oraz pod przy the to ul ulica ulicy w we \
    with z zaginal zaginela zaginelo zaginiona zaginiony ze znaleziona znaleziony
    """.split(separator: " ").map(String.init))

  /// Creates a filter from the words of a text and a species. Returns `nil` if it would match everything.
  public init?(text: String, speciesID: String?) {
    let given = Self.words(of: text, most: Self.maxTextLength)
    let telling = given.filter { !Self.common.contains($0) }
    words = Array((telling.isEmpty ? given : telling).prefix(Self.maxWords))
    self.speciesID = speciesID
    if words.isEmpty, speciesID == nil { return nil }
  }

  /// Splits a text into words of letters and digits, folded to lower case without accents.
  ///
  /// - Parameter most: the number of Unicode scalars to read.
  package static func words(of text: String, most: Int = .max) -> [String] {
    let text = String(String.UnicodeScalarView(text.unicodeScalars.prefix(most)))
    return folded(text).split { !($0.isLetter || $0.isNumber) }.map(String.init)
  }

  /// Returns the prefixes of stored words that a search word matches: the word itself and, from five letters on, each
  /// spelling with one letter wrong, missing, extra or swapped with its neighbor. Their number is bounded because only
  /// `maxWordLength` letters count.
  package static func spellings(of word: String) -> [String] {
    let letters = Array(word.unicodeScalars.prefix(maxWordLength))
    func text(_ scalars: [Unicode.Scalar]) -> String { String(String.UnicodeScalarView(scalars)) }
    guard letters.count >= 5, letters.allSatisfy(\.properties.isAlphabetic) else {
      return [text(letters)]
    }
    var spellings = [letters]
    let others = alphabet(of: letters)
    for index in letters.indices {
      let before = letters[..<index]
      let after = letters[(index + 1)...]
      spellings.append(Array(before + after))
      spellings += others.map { before + [$0] + letters[index...] }
      // A match of the prefix without the last letter covers every other last letter, so the rest isn't needed.
      guard let next = after.first else { break }
      spellings.append(before + [next, letters[index]] + after.dropFirst())
      spellings += others.map { before + [$0] + after }
    }
    return spellings.map(text)
  }

  /// Returns the letters to try in place of another: the Latin ones, and those in the same Unicode blocks as the word's
  /// own letters.
  private static func alphabet(of letters: [Unicode.Scalar]) -> [Unicode.Scalar] {
    let blocks = Set(letters.filter { !$0.isASCII }.map { $0.value & ~63 })
    return latin
      + blocks.sorted().flatMap { block in
        (block..<block + 64).compactMap(Unicode.Scalar.init).filter(\.properties.isLowercase)
      }
  }

  private static let latin = Array("abcdefghijklmnopqrstuvwxyzßæøœđı".unicodeScalars)
  /// The number of letters of a word that are compared. Longer words are expected to differ before that.
  package static let maxWordLength = 32

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
