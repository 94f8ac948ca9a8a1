import Foundation
import ImageContainers
import PhotoModel
import Testing

/// An app or a host gets sentences with the right advice without this project's programs.
@Suite("Errors describe themselves")
struct ErrorSentenceTests {
  private static let photoErrors: [PhotoError] = [
    .unsupportedFormat(detected: "application/pdf"), .empty, .corrupt(what: "png-chunk-crc"),
    .incomplete(what: "jpeg-data", percentShown: 49), .timeout(seconds: 10),
    .tooManyPixels(.pixels, actual: 300_000_000, limit: 220_000_000),
    .tooLarge(.fileBytes, actual: 30 << 20, limit: 20 << 20),
    .tooLarge(.tiles, actual: 9000, limit: 4096), .unreadable(.system(errno: 2)),
    .unreadable(.notAFile(kind: "directory")), .shortage(errno: 12), .cancelled,
    .fault(.decoderStart), .unverified(what: "jpeg-surplus"),
  ]

  /// Errors of which no two have the same remedy.
  private static let storeErrors: [StoreError] = [
    .database(.noAddress, detail: ""), .database(.damaged, detail: "x"),
    .database(.otherVersion, detail: "x"), .database(.alteredRecord, detail: "x"),
    .database(.otherBlobs, detail: "x"), .database(.otherRecords, detail: "x"),
    .database(.replaced, detail: "x"), .database(.closed, detail: ""),
    .database(.failed, detail: "x"),
    .storageFull(operation: "write", path: "/photos", errno: 28),
    .storage(operation: "write", path: "/photos", errno: 5),
    .cacheUnavailable(path: "/photos", errno: 13),
    .unsafeCache(path: "/photos", reason: .writableByOthers), .busy(seconds: 10),
    .unreachable(service: "PostgreSQL at db", detail: "refused"), .missingPhoto, .superseded,
    .removed, .cancelled, .fault(.blobDamaged),
    .serviceFailed(service: "PostgreSQL at db", detail: "x", problem: .accessDenied),
    .serviceFailed(service: "PostgreSQL at db", detail: "x", problem: .missingDatabase),
    .serviceFailed(service: "S3", detail: "x", problem: .badAddress),
    .serviceFailed(service: "S3", detail: "x", problem: .missingKeys),
    .serviceFailed(service: "S3 bucket pets", detail: "HTTP 403", problem: .accessDenied),
    .serviceFailed(service: "S3 bucket pets", detail: "HTTP 404", problem: .missingBucket),
    .serviceFailed(service: "S3 bucket pets", detail: "HTTP 500"),
  ]

  @Test("Each has a whole sentence of its own in each language", arguments: Language.allCases)
  func sentences(_ language: Language) {
    let sentences =
      Self.photoErrors.map { $0.message(in: language) }
      + Self.storeErrors.map { $0.message(in: language) }
    for sentence in sentences {
      #expect(sentence.contains(" ") && !sentence.contains("{"), "\(sentence)")
      // A host's visitors don't know this library, and can't use its programs.
      #expect(!sentence.contains("PetSpot") && !sentence.contains("petspot"), "\(sentence)")
      #expect(!sentence.contains("/photos") && !sentence.contains("at db"), "\(sentence)")
    }
    let advice = Set(Self.storeErrors.map { $0.message(in: language) })
    #expect(advice.count == Self.storeErrors.count)
  }

  @Test("A photo's refusal is its sentence, also as an error of the store")
  func photos() {
    #expect(
      PhotoError.unsupportedFormat(detected: "application/pdf").message(in: .en)
        == "This is a PDF document. Choose a photo: JPEG, PNG, HEIC, GIF or WebP.")
    #expect(
      PhotoError.tooLarge(.fileBytes, actual: 30 << 20, limit: 20 << 20).message(in: .pl)
        == "Zdjęcie jest za duże: 31,5 MB, a limit to 20 MB. Wybierz mniejsze.")
    for error in Self.photoErrors where error != .cancelled {
      for language in Language.allCases {
        #expect(StoreError(error).message(in: language) == error.message(in: language))
      }
    }
  }

  @Test("localizedDescription is the sentence")
  func localizedDescription() {
    let errors: [any Error] = [PhotoError.empty, StoreError.missingPhoto]
    #expect(
      errors.map(\.localizedDescription) == [
        PhotoError.empty.message(in: .ofEnvironment),
        StoreError.missingPhoto.message(in: .ofEnvironment),
      ])
  }
}
