import Foundation
import ReportFlow
import Testing

@testable import petspot

/// Every text of the program stands once for each language: in `English.swift` and `Polish.swift`, whose
/// switches the compiler holds to be complete.
@Suite struct TextTests {
  @Test func wordsSpeakTheirLanguage() {
    #expect(Words(.en)(.noPhotos) == "No photos.")
    #expect(Words(.pl)(.noPhotos) == "Brak zdjęć.")
    #expect(Words(.en)(.runWorkers(1)) == "1 worker")
    #expect(Words(.en)(.runWorkers(2)) == "2 workers")
  }

  /// A text beside a question for the language would be seen by no check of texts.
  @Test func noTextIsPickedWhereItIsUsed() throws {
    let sources = Program.root.appending(path: "Sources/petspot")
    let paths = FileManager.default.enumerator(atPath: sources.path)?.compactMap { $0 as? String }
    let files = try #require(paths).filter { $0.hasSuffix(".swift") }
    #expect(files.count > 90)
    for file in files {
      let code = try String(contentsOf: sources.appending(path: file), encoding: .utf8)
      #expect(code.firstMatch(of: /\.(?:en|pl) \?\s*"|\bpl: "|pick\(/) == nil, "\(file)")
    }
  }
}
