import Foundation
import PhotoAttachments
import PhotoIngestion
import PhotoStoreSQLite
import TestPictures
import TestStores
import Testing

@testable import BlobStoreS3

@Suite struct OpeningTests {
  @Test("A host opens a bucket by its address and keys")
  func open() async throws {
    let (server, cache) = (try S3Server.shared.get(), TemporaryCache())
    let keys = try #require(S3Credentials(environment: server.environment))
    let objects = try ObjectStore.s3(server.url(), keys: keys)
    let opened = try await PhotoAttachmentCache.open(
      cache.folder, objects: objects, decoding: .inProcess)
    let picture = EncodedPicture.png(1)
    let photo = try await opened.attach(.bytes(picture.bytes, name: "rex.png"), draft: "17")
    #expect(cache.files == [] && photo.cachedURL.scheme == "s3")
    #expect(try await opened.bytes(of: photo.blob).count == photo.blob.sizeBytes)
  }

  @Test(
    "An error in an address or in keys is named",
    arguments: [
      ("s3:/x", "It has to begin with s3://", .badAddress),
      ("s3://pets", "Set AWS_ACCESS_KEY_ID", .missingKeys),
    ] as [(String, String, StoreError.ServiceProblem)])
  func problems(
    _ address: String, _ beginning: String, _ expected: StoreError.ServiceProblem
  ) throws {
    let error = #expect(throws: StoreError.self) { try ObjectStore.s3(address, keys: nil) }
    guard case .serviceFailed(service: "S3", let detail, let problem) = error else {
      Issue.record("\(error as Any)")
      return
    }
    #expect(problem == expected)
    #expect(detail.contains(beginning), "\(detail)")
  }
}
