import PhotoModel
import Testing

@testable import Announcements

/// Limits on the size of a text (decision 50).
@Suite("The bounds of a text")
struct TextBoundsTests {
  /// Returns a character with combining marks that Unicode sorts again for each comparison.
  private func piles(_ count: Int) -> String {
    "a" + String(repeating: "\u{0315}\u{0300}", count: count)
  }

  @Test(
    "Every script and all emoji are accepted",
    arguments: [
      "Żółć", "נִקּוּד שָׁלוֹם", "العَرَبِيَّةُ", "क्षत्रिय ज्ञान", "བོད་ཡིག ཧཱུྃ༔", "ที่นี่น้ำ", "Tiếng Việt",
      "👨‍👩‍👧‍👦👩🏽‍❤️‍💋‍👩🏿", "🏴󠁧󠁢󠁳󠁣󠁴󠁿🏳️‍🌈", "1️⃣ 🇵🇱", "ậ̃̃̃̃", "",
    ])
  func welcome(_ text: String) {
    #expect(text.fits(characters: 100))
    #expect(text.withShortRowsOfMarks == text && text.cut(toFit: 100) == text)
  }

  @Test("A character has at most eight marks, with joiners between them or not")
  func marks() {
    #expect(piles(4).fits(characters: 2))
    #expect(!piles(5).fits(characters: 100))
    let joined = "a" + String(repeating: "\u{0301}\u{200D}", count: 9)
    #expect(!joined.fits(characters: 100))
    #expect(String(repeating: piles(4), count: 100).fits(characters: 500))
  }

  @Test("A text has at most its limit of characters, and 16 bytes for each")
  func size() {
    #expect(String(repeating: "é", count: 100).fits(characters: 100))
    #expect(!String(repeating: "a", count: 101).fits(characters: 100))
    let family = "👨‍👩‍👧‍👦"
    #expect(family.utf8.count == 25)
    #expect(String(repeating: family, count: 64).fits(characters: 100))
    #expect(!String(repeating: family, count: 65).fits(characters: 100))
  }

  @Test(
    "A text that is too long doesn't fit after it is cut or thinned out",
    arguments: ["👨‍👩‍👧‍👦", "é", "a", "\u{0315}\u{0300}", "\u{200D}", "\u{1F1E6}"])
  func cut(_ piece: String) {
    let text = String(repeating: piece, count: 50_000)
    let short = text.cut(toFit: 100)
    #expect((1601...1604).contains(short.utf8.count) && !short.fits(characters: 100))
    #expect(text.utf8.starts(with: short.utf8))
    let thin = piles(5).withShortRowsOfMarks
    #expect(thin.unicodeScalars.count == 10 && !thin.fits(characters: 100))
  }

  @Test("Only combining marks are sorted in comparisons, so only runs of them have to be short")
  func sorted() {
    let others = (0...0x10FFFF as ClosedRange<UInt32>).lazy.compactMap(Unicode.Scalar.init).filter {
      guard $0.properties.canonicalCombiningClass != .notReordered else { return false }
      return String(repeating: $0.description, count: 10).withShortRowsOfMarks.unicodeScalars.count
        != 9
    }
    #expect(Array(others) == [])
  }

  @Test("100,000 marks cost no more than their bytes")
  func time() {
    let text = piles(50_000)
    let time = ContinuousClock().measure {
      let thin = text.withShortRowsOfMarks
      #expect(thin != "a" && !thin.hasPrefix("a ") && !text.fits(characters: 500))
      #expect(text.cut(toFit: 500).utf8.count < 9000)
    }
    #expect(time < .seconds(1))
  }
}
