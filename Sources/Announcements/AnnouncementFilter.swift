import Foundation

/// What a reader searches for: announcements of a species in whose name, breed, description, place or
/// species each of the given words begins a word. Upper case and accents don't matter in any language, nor
/// does the stroke of `ł`; in words of five letters or more one letter may be wrong (decision 60).
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

  /// What a word that is searched for may begin a stored word as: itself and, from five letters on, with one
  /// letter wrong, missing, extra or swapped with its neighbor. How long a word is bounds how many there are.
  package static func spellings(of word: String) -> [String] {
    let letters = Array(word.unicodeScalars.prefix(maxWordLength))
    func text(_ scalars: [Unicode.Scalar]) -> String { String(String.UnicodeScalarView(scalars)) }
    guard letters.count >= 5, letters.allSatisfy(\.properties.isAlphabetic) else {
      return [text(letters)]
    }
    var spellings = [letters]
    let others = alphabet(of: letters)
    for index in letters.indices {
      let (before, after) = (letters[..<index], letters[(index + 1)...])
      spellings.append(Array(before + after))
      spellings += others.map { before + [$0] + letters[index...] }
      // The last letter may be left out, and then any other stands there.
      guard let next = after.first else { break }
      spellings.append(before + [next, letters[index]] + after.dropFirst())
      spellings += others.map { before + [$0] + after }
    }
    return spellings.map(text)
  }

  /// The letters that may stand for another: those of Latin script, and those near the word's own in others.
  private static func alphabet(of letters: [Unicode.Scalar]) -> [Unicode.Scalar] {
    let blocks = Set(letters.filter { !$0.isASCII }.map { $0.value & ~63 })
    return latin
      + blocks.sorted().flatMap { block in
        (block..<block + 64).compactMap(Unicode.Scalar.init).filter(\.properties.isLowercase)
      }
  }

  private static let latin = Array("abcdefghijklmnopqrstuvwxyzßæøœđı".unicodeScalars)
  /// How many letters of a word are looked at; longer ones differ in what comes before.
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
