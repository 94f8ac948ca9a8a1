import ImageContainers
import Foundation
import PhotoAttachments
import PhotoIngestion
import ReportFlow
import SystemPackage
import TestStores
import Testing

@testable import petspot

@Suite struct ErrorTests {
  @Test func samplesCoverEveryCase() {
    #expect(Set(StoreError.samples.map(\.caseNumber)) == StoreError.caseNumbers)
  }

  @Test(arguments: [
    (StoreError.photo(.empty), 65), (.photo(.corrupt(what: "x")), 65),
    (.photo(.unsupportedFormat(detected: "x")), 65),
    (.photo(.timeout(seconds: 1)), 65), (.photo(.unreadable(.changed)), 66), (.missingPhoto, 66),
    (.fault(.unexpected), 70), (.photo(.unverified(what: "x")), 70),
    (.cacheUnavailable(path: "/c", errno: 13), 73),
    (.storageFull(operation: "write", path: "/c", errno: 28), 74),
    (.storage(operation: "fsync", path: "/c", errno: 5), 74),
    (.database(.damaged, detail: ""), 74), (.busy(seconds: 5), 75), (.cancelled, 130),
    (.unreachable(service: "s", detail: ""), 69), (.overloaded(service: "s", detail: ""), 75),
    (.serviceFailed(service: "s", detail: ""), 74),
    (.photo(.shortage(errno: 24)), 75),
    (.photo(.fault(.decoderAnswer)), 70),
    (.photo(.fault(.decoderStack)), 69), (.photo(.fault(.decoderStart)), 69),
    (.photo(.fault(.sandboxLandlock)), 69), (.photo(.fault(.decoderKilled)), 75),
    (.photo(.fault(.sandboxLimits)), 75),
    (.unsafeCache(path: "/c", reason: .writableByOthers), 73),
  ])
  func exitCodes(_ error: StoreError, _ code: Int) {
    #expect(error.exitCode == Int32(code))
  }

  @Test(arguments: StoreError.samples)
  func sentenceIsOneFullLine(_ error: StoreError) {
    for path in [nil, FilePath("folder/rex\u{1B}[31m\n.tiff")] {
      let sentence = error.sentence(about: path)
      #expect(sentence.hasSuffix(".") || sentence.contains("petspot "), "\(sentence)")
      #expect(!sentence.contains("\n") && !sentence.contains("\u{1B}"), "\(sentence)")
      #expect(!sentence.contains("Optional("), "\(sentence)")
      #expect(!sentence.contains("  "), "\(sentence)")
    }
  }

  /// For a case without a description, Swift prints the declaration.
  @Test(arguments: StoreError.samples)
  func printedItIsItsCodeAndFacts(_ error: StoreError) {
    #expect("\(error)".hasPrefix(error.code), "\(error)")
    #expect(!"\(error)".contains("errno:") && !"\(error)".contains("Error."), "\(error)")
  }

  @Test(arguments: StoreError.samples)
  func sentenceStandsInEveryLanguage(_ error: StoreError) {
    for path in [nil, FilePath("rex.tiff")] {
      let english = error.sentence(about: path, in: Words(.en))
      let polish = error.sentence(about: path, in: Words(.pl))
      #expect(english != polish, "\(english)")
      #expect(polish.hasSuffix(".") || polish.contains("petspot "), "\(polish)")
      #expect(!polish.contains("Optional(") && !polish.contains("  "), "\(polish)")
    }
  }

  @Test(arguments: StoreError.samples)
  func jsonSaysTheSameToPrograms(_ error: StoreError) throws {
    let line = Failure(error, about: "rex.tiff").json.line
    let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
    let inner = try #require(object?["error"] as? [String: Any])
    #expect(inner["code"] as? String == error.code)
    #expect(inner["message"] as? String == error.sentence(about: "rex.tiff"))
    #expect(inner["path"] as? String == "rex.tiff")
    switch error {
    case .photo(.unsupportedFormat(let detected)): #expect(inner["detected"] as? String == detected)
    case .photo(.tooManyPixels(_, let actual, let limit)),
      .photo(.tooLarge(_, let actual, let limit)):
      #expect(inner["actual"] as? Int == actual)
      #expect(inner["limit"] as? Int == limit)
    default: break
    }
  }

  @Test func wordsOfTheSpecification() {
    #expect(
      PhotoError.unsupportedFormat(detected: "image/tiff").sentence(about: "rex.tiff")
        == "rex.tiff is a TIFF image. PetSpot takes JPEG, PNG, HEIC, GIF and WebP; save it as one "
        + "of these and try again.")
    #expect(
      PhotoError.tooManyPixels(.pixels, actual: 900_000_000, limit: 220_000_000)
        .sentence(about: "huge.png")
        == "huge.png has 900,000,000 pixels; the limit is 220,000,000. Make it smaller and try "
        + "again.")
    #expect(
      PhotoError.tooLarge(.fileBytes, actual: 600_000_000, limit: 536_870_912)
        .sentence(about: "big.jpg").hasPrefix("big.jpg has 600 MB of data; the limit is 537 MB."))
    #expect(
      PhotoError.tooLarge(.fileBytes, actual: 536_870_913, limit: 536_870_912)
        .sentence(about: "-").hasPrefix(
          "Standard input has 536,870,913 bytes of data; the limit is 536,870,912 bytes."))
  }

  @Test(arguments: ["application/pdf", "video/quicktime", "text/plain", "application/octet-stream"])
  func onlyPicturesCanBeSavedAsOthers(_ type: String) {
    let sentence = PhotoError.unsupportedFormat(detected: type).sentence(about: "a")
    #expect(!sentence.contains("save it") && sentence.hasSuffix("JPEG, PNG, HEIC, GIF and WebP."))
  }

  @Test(arguments: [
    ("image/x-unheard-of", "an image of another kind"),
    ("video/x-y", "a video"),
    ("application/x-z", "a file of an unknown kind"),
    ("qqqq", "a picture of an unknown kind"),
  ])
  func unknownMediaTypesHaveWords(_ type: String, _ words: String) {
    #expect(MediaTypeWords.noun(for: type, in: Words(.en)) == words)
  }
}
