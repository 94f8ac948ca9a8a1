import Announcements
import Foundation
import ImageContainers
import PhotoAttachments
import PhotoIngestion
import TestReports
import Testing

@testable import ReportFlow

@Suite struct WordsTests {
  @Test(
    arguments: [
      (nil, "Parts of the photo are missing.", "Brakuje części zdjęcia."),
      (3, "Nearly all of the photo is missing.", "Brakuje prawie całego zdjęcia."),
      (49, "The lower half of the photo is missing.", "Brakuje dolnej połowy zdjęcia."),
      (88, "The lowest 12% of the photo is missing.", "Brakuje dolnych 12% zdjęcia."),
      (100, "The lowest 1% of the photo is missing.", "Brakuje dolnych 1% zdjęcia."),
    ] as [(Int?, String, String)])
  func refusalSaysWhatIsMissing(_ percent: Int?, _ english: String, _ polish: String) {
    let error = PhotoError.incomplete(what: "jpeg-data", percentShown: percent)
    #expect(error.message(in: Words(.en)).hasPrefix(english + " Copy it again"))
    #expect(error.message(in: Words(.pl)).hasPrefix(polish + " Skopiuj je ponownie"))
  }

  /// An app that shows `localizedDescription` shows the same texts as pages and the terminal.
  @Test func errorsDescribeThemselves() {
    let errors: [(any Error, String)] = [
      (PhotoError.empty, PhotoError.empty.message(in: Words.ofProcess)),
      (
        StoreError.photo(.timeout(seconds: 1)),
        PhotoError.timeout(seconds: 1).message(in: Words.ofProcess)
      ),
      (
        AnnouncementError.wrongPassword,
        AnnouncementError.wrongPassword.message(in: .ofProcess, now: Date())
      ),
    ]
    for (error, sentence) in errors {
      #expect(error.localizedDescription == sentence)
    }
  }

  /// The texts of a field are found by its name.
  @Test func everyFieldHasItsTexts() {
    for field in FormField.allCases where field != .photo {
      #expect(field.label.rawValue == field.rawValue + ".label")
      #expect((field.help == nil) == (field == .chip))
    }
    for field in FormField.allCases where field.isText {
      #expect(field.placeholder?.rawValue == field.rawValue + ".placeholder")
    }
  }

  /// This list names the texts that are equal in both languages, so that a missing translation fails the test (lesson
  /// P29).
  @Test func everyTextIsTranslated() {
    let same: Set<String> = [
      "flow.progress", "size.bytes", "size.megabytes", "chip.placeholder",
      "photo.tileTypes", "location.north", "location.south", "location.east", "location.west",
      "additional.counter", "card.distance",
    ]
    let polish = ReportCatalog.texts(of: .pl)
    for (name, text) in ReportCatalog.texts(of: .en) {
      #expect((text == polish[name]) == same.contains(name), "\(name)")
    }
  }

  /// The texts of errors are named after the error codes.
  @Test(arguments: [
    AnnouncementError.invalid(["breed"]), .notFound(id: "a1"), .closed(id: "a1"),
    .takenDown(id: "a1", reason: nil), .takenDown(id: "a1", reason: "b2"), .wrongPassword,
    .throttled(until: .now), .spaceUsedUp(until: .now), .locationRequired, .missingPhoto,
    .duplicateMicrochip, .idempotencyMismatch, .keyTaken, .unavailable("a1"),
  ])
  func everyAnnouncementErrorHasASentence(_ error: AnnouncementError) {
    for words in [english, polish] {
      let message = error.message(in: words, now: .now)
      #expect(message.contains(" ") && !message.contains("{"), "\(message)")
      for (key, detail) in error.facts.details where ["id", "reason"].contains(key) {
        if case .text(let text) = detail { #expect(message.contains(text)) }
      }
    }
  }

  /// A value is shown unchanged, even if it looks like a placeholder.
  @Test func valuesAreNotFilledInAgain() {
    let text = english("failure.taken-down.reason", ["id": "{reason}", "reason": "{id}"])
    #expect(text == "Announcement {reason} was taken down by the operator. Reason: {id}")
  }

  /// A language is a value, so two of them can be used side by side.
  @Test func languageIsChosenPerCall() {
    #expect(english("photo.mandatory") == "Photo is mandatory")
    #expect(polish("photo.mandatory") == "Bez zdjęcia nie da się przejść dalej. Wybierz zdjęcie")
    #expect(english("flow.progress", ["step": "3", "count": "4"]) == "3/4")
  }

  @Test(arguments: [
    (1, "1 rok"), (2, "2 lata"), (4, "4 lata"), (5, "5 lat"), (11, "11 lat"), (12, "12 lat"),
    (14, "14 lat"), (21, "21 lat"), (22, "22 lata"), (25, "25 lat"), (34, "34 lata"),
    (40, "40 lat"), (0, "0 lat"), (112, "112 lat"), (122, "122 lata"),
  ])
  func polishYears(count: Int, text: String) {
    #expect(polish("age.years", count: count) == text)
  }

  /// A text without forms is used for every number, with the digits grouped as in the language.
  @Test func numbersOfTextsAreGrouped() {
    #expect(english("count.workers", count: 1) == "1 worker")
    #expect(english("count.workers", count: 1_200) == "1,200 workers")
    #expect(polish("count.workers", count: 1_200) == "1\u{A0}200 procesów")
  }

  @Test(arguments: [(0, "0 years"), (1, "1 year"), (2, "2 years"), (21, "21 years")])
  func englishYears(count: Int, text: String) {
    #expect(english("age.years", count: count) == text)
  }

  @Test(arguments: [
    (1, "1 B", "1 B"), (999, "999 B", "999 B"), (1536, "2 KB", "2 kB"),
    (999_499, "999 KB", "999 kB"), (999_500, "1.0 MB", "1,0 MB"),
    (1_400_000, "1.4 MB", "1,4 MB"), (20_971_520, "21.0 MB", "21,0 MB"),
  ])
  func fileSizes(bytes: Int, en: String, pl: String) {
    #expect(english.fileSize(bytes) == en)
    #expect(polish.fileSize(bytes) == pl)
  }

  /// A limit is shown in a familiar unit, in the plural form of its number. A limit that people don't count is not
  /// shown as a number.
  @Test(arguments: [
    (1, "1 pixel", "1 piksel"), (2, "2 pixels", "2 piksele"), (11, "11 pixels", "11 pikseli"),
    (42, "42 pixels", "42 piksele"),
  ])
  func limitsAreSaidInUnits(_ count: Int, _ english: String, _ polish: String) {
    for (language, text) in [(Language.en, english), (.pl, polish)] {
      let words = Words(language)
      for (actual, limit) in [(count, 700), (700, count)] {
        let side = PhotoError.tooManyPixels(.side, actual: actual, limit: limit)
        let message = side.message(in: words)
        #expect(message.contains(text) && message.contains("700"), "\(message)")
      }
      let scans = PhotoError.tooLarge(.scans, actual: 900 + count, limit: 100)
      #expect(scans.message(in: words) == words("failure.too-large.structure"))
    }
  }
}
