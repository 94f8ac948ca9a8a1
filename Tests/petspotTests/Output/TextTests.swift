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
}
