import Foundation
import ReportFlow
import SystemPackage
import Testing

@testable import PhotoAttachments
@testable import petspot

@Suite struct ImportProgressTests {
  @Test func partsAreWholeAndTheLastColumnIsFree() {
    var progress = ImportProgress()
    progress.total = ImportSurvey(files: 5, bytes: 0)
    let whole = "[··········] 0/5 · 0 bytes"
    #expect(progress.line(columns: whole.count + 1) == whole)
    #expect(progress.line(columns: whole.count) == "[··········] 0/5")
  }

  /// Numbers and nouns agree.
  @Test func countsHaveTheirPlural() {
    var progress = ImportProgress()
    let outcome = ImportOutcome.duplicate(of: UUID(), tier: .bytes)
    let file = ImportedFile(path: "/a.jpg", sizeBytes: 1, outcome: outcome)
    progress.add(file)
    #expect(progress.line(columns: 120).contains("· 1 duplicate ·"))
    progress.add(file)
    #expect(progress.line(columns: 120).contains("· 2 duplicates ·"))
    #expect(Words(.pl)("import.count.duplicate", ["count": "2"]) == "duplikaty: 2")
  }

  @Test(arguments: [
    (0.0, "10 s"), (10, "10 s"), (54, "60 s"), (55, "1 min"), (3569, "59 min"), (3570, "1 h"),
  ])
  func timesAreRounded(_ seconds: Double, _ text: String) {
    #expect(TimeLeft.rounded(seconds) == "about \(text) left")
  }
}
