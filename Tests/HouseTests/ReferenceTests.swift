import Foundation
import Testing

/// A reader who meets "decision 12" in a comment can look it up.
@Suite("References resolve")
struct ReferenceTests {
  let article: String
  let told: [String]

  init() throws {
    article = try #require(References.text(at: References.article))
    told = References.told(in: article)
  }

  @Test("Every seed, decision and lesson that is named has its entry in the article")
  func everyReferenceIsTold() {
    let told = Set(told)
    var count = 0
    for path in References.places() where !path.hasPrefix("Tests/HouseTests/") {
      guard let text = References.text(at: path) else { continue }
      for piece in References.pieces(of: text, at: path) {
        for name in References.named(in: piece) {
          if path != References.article { count += 1 }
          if !told.contains(name) {
            Issue.record("\(path) names \(name), of which the article has no entry")
          }
        }
      }
    }
    // Fewer would mean that they are no longer recognized.
    #expect(count > 200)
  }

  @Test("The article tells everything once, and every decision")
  func entries() {
    #expect(Set(told).count == told.count)
    let decisions = told.compactMap { $0.wholeMatch(of: #/Decision (\d+)/#) }
    #expect(decisions.map { String($0.output.1) } == (1...45).map(String.init))
  }

  @Test(
    "Every way of naming is recognized, over the ends of lines too",
    arguments: [
      ("/// A toast (seed 028, FR-004).", ["Seed 028", "Seed 028 FR-004"]),
      ("/// seeds 021 and 031, section 3", ["Seed 021", "Seed 031", "Seed 031 Section 3"]),
      (
        "/// (seeds 021, 031, 046; decision 16)",
        ["Seed 021", "Seed 031", "Seed 046", "Decision 16"]
      ),
      ("  /// See decisions\n  /// 4 to 7.", (4...7).map { "Decision \($0)" }),
      ("// Lesson P17, P18 and P20: numbers", ["Lesson P17", "Lesson P18", "Lesson P20"]),
      ("let x = 1  // FR-003", ["FR-003 of a seed that is not named"]),
      ("/// TIFF 6.0, section 2; seed 20261121", []),
      (
        "/// (seed 028)\nlet x = 1\n/// FR-003", ["Seed 028", "FR-003 of a seed that is not named"]
      ),
    ] as [(String, [String])])
  func recognized(_ text: String, _ names: [String]) {
    let found = References.pieces(of: text, at: "x.swift").flatMap(References.named(in:))
    #expect(found == names)
  }

  @Test("Taking any entry out of the article is noticed")
  func aMissingEntryIsNoticed() throws {
    let lines = article.split(separator: "\n", omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      let isEntry =
        line.hasPrefix("### ") || line.hasPrefix("- **") || line.hasPrefix("## The ")
      guard isEntry, line != "## The seeds", line != "## The lessons" else { continue }
      var cut = lines
      cut.remove(at: index)
      #expect(Set(References.told(in: cut.joined(separator: "\n"))) != Set(told), "\(line)")
    }
  }
}
