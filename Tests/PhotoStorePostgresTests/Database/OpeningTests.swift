import Foundation
import PhotoAttachments
import PhotoIngestion
import PhotoStorePostgres
import TestPictures
import TestPostgres
import TestStores
import Testing

@Suite(.enabled(if: TestServer.shared != nil, Comment(rawValue: TestServer.absence)))
struct OpeningTests {
  @Test("A host opens a database by its address, with pictures in a folder")
  func open() async throws {
    let (database, cache) = (try TestDatabase(), TemporaryCache())
    let url = database.url(of: "petspot")
    let opened = try await PhotoAttachmentCache.open(
      cache.folder, database: url, decoding: .inProcess)
    let photo = try await opened.attach(
      .bytes(EncodedPicture.png(1).bytes, name: "rex.png"), draft: "17")
    #expect(cache.files == [photo.blob.path, photo.preview.path])
    try await opened.close()
    let again = try await PhotoAttachmentCache.open(
      cache.folder, database: url, decoding: .inProcess)
    #expect(try await again.load(draft: "17") == photo.photo)
    await #expect(throws: StoreError.database(.noAddress, detail: "")) {
      try await PhotoAttachmentCache.open(cache.folder, database: "mysql://x", decoding: .inProcess)
    }
  }
}
