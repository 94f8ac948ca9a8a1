import Foundation
import Testing

@testable import PhotoAttachments

@Suite struct TakenDateTests {
  @Test(arguments: [
    ("IMG-20240315-WA0001.jpg", "2024-03-15"), ("VID-20240315-WA0012.jpg", "2024-03-15"),
    ("WhatsApp Image 2024-03-15 at 10.11.12.jpeg", "2024-03-15"),
    ("Screenshot_20240315-101112.png", "2024-03-15"),
    ("Screenshot_20240315-101112_Chrome.jpg", "2024-03-15"),
    ("Screenshot 2024-03-15 at 10.11.12.png", "2024-03-15"),
    ("Screenshot from 2024-03-15 10-11-12.png", "2024-03-15"),
    ("Zrzut ekranu 2026-11-20 o 10.11.12.png", "2026-11-20"),
    ("Zrzut ekranu 2026-11-20 101112.png", "2026-11-20"),
    ("PXL_20240315_101112345.jpg", "2024-03-15"), ("PXL_20240229_101112345.MP.jpg", "2024-02-29"),
    ("signal-2024-03-15-101112.jpg", "2024-03-15"),
    ("signal-2024-03-15-10-11-12-345.jpg", "2024-03-15"),
    ("IMG_20240315_101112.jpg", "2024-03-15"), ("20240315_101112(0).jpg", "2024-03-15"),
    ("2024-03-15 10.11.12.jpg", "2024-03-15"), ("2024-03-15.jpg", "2024-03-15"),
    ("photo_2024-03-15_10-11-12.jpg", "2024-03-15"), ("IMG_20240315.jpg", "2024-03-15"),
  ])
  func aNameOfAKnownPatternHasADay(_ name: String, _ day: String) {
    #expect(TakenDate(fileName: name) == TakenDate(day, from: .name))
  }

  @Test(arguments: [
    "IMG_1234.JPG", "rex.jpg", "20240315.jpg", "IMG-20241315-WA0001.jpg", "20230229_101112.jpg",
    "DSC_20245678.jpg", "48212024-03-15.jpg", "invoice 20240315 4711.jpg", "2024-03.jpg", "",
    "IMG_2024031510.jpg", "Rex 2024-03-15.jpg", "19800101_000000.jpg", "2024-0315.jpg",
  ])
  func otherDigitsAreNoDay(_ name: String) {
    #expect(TakenDate(fileName: name) == nil)
  }

  @Test func takeoutHasATime() {
    func date(_ json: String) -> String? { TakenDate(takeout: Data(json.utf8))?.text }
    #expect(
      date(#"{"title":"rex","photoTakenTime":{"timestamp":"1715000000","formatted":"x"}}"#)
        == "2024-05-06T12:53:20Z")
    #expect(date(#"{"photoTakenTime":{"timestamp":"-86400"}}"#) == "1969-12-31T00:00:00Z")
    for bad in [
      "", "{}", "[]", #"{"photoTakenTime":{}}"#, #"{"photoTakenTime":{"timestamp":"soon"}}"#,
      #"{"photoTakenTime":{"timestamp":"99999999999999999"}}"#,
    ] {
      #expect(date(bad) == nil, "\(bad)")
    }
  }

  @Test func theFirstPossibleDateCounts() throws {
    let now = try Date("2026-11-29T12:00:00Z", strategy: .iso8601)
    let (exif, name) = (
      TakenDate("2024-05-06T10:11:12", from: .exif), TakenDate("2024", from: .name)
    )
    #expect(TakenDate.best(of: [exif, nil, name], now: now) == exif)
    for impossible in ["1970-01-01T00:00:00", "1989-12-31", "2026-12-01", "2099-01-01", "0000"] {
      let bad = TakenDate(impossible, from: .exif)
      #expect(TakenDate.best(of: [bad, nil, name], now: now) == name)
      #expect(TakenDate.best(of: [bad], now: now) == nil)
    }
    // Somewhere it is tomorrow already.
    let tomorrow = TakenDate("2026-11-30T01:00:00", from: .exif)
    #expect(TakenDate.best(of: [tomorrow], now: now) == tomorrow)
  }
}
