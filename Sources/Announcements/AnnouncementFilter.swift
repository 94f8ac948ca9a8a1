import Foundation

/// What a reader searches for: announcements of a species whose name, breed or description has all
/// of the given words. Upper case and accents don't matter in any language, nor does the stroke of
/// `ł`.
public struct AnnouncementFilter: Sendable, Hashable {
  /// The species of the taxonomy, such as `dog`; nil means every one.
  public let speciesID: String?
  private let words: [String]

  /// The most characters that are read of what is looked for.
  public static let maxTextLength = 100

  /// A filter by the words of a text and a species; nil when it would let everything pass.
  public init?(text: String, speciesID: String?) {
    words = Self.folded(String(text.prefix(Self.maxTextLength))).split(
      whereSeparator: \.isWhitespace
    )
    .map(String.init)
    self.speciesID = speciesID
    if words.isEmpty, speciesID == nil { return nil }
  }

  /// Whether an announcement passes.
  public func matches(_ announcement: Announcement) -> Bool {
    let details = announcement.details
    if let speciesID, speciesID != details.speciesID ?? announcement.species.lowercased() {
      return false
    }
    if words.isEmpty { return true }
    let name = details.petNameGiven ? announcement.petName : nil
    let text = [name, details.breed, announcement.description].compactMap { $0 }
      .joined(separator: "\n")
    let folded = Self.folded(text)
    return words.allSatisfy(folded.contains)
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
