import Glibc
import HTTPTypes
import PhotoAttachments
import TestStores
import Testing

@testable import PetSpotServer
@testable import PhotoUploads
@testable import struct PetSpotServer.Stores

@Suite("Resumable uploads that fail because of the server")
struct UploadFailureTests {
  private let cache = TemporaryCache()

  @Test("The log gets the error, and the client a response without its details")
  func origin() async throws {
    let stores = try await Stores(in: cache)
    let acts = UploadActs(
      UploadRules(FolderUploads(UploadFolder(beside: stores.photos.folder))),
      site: Limits(ServerConfiguration(), stores), files: stores.files,
      waits: UploadWaits(perClient: nil))
    for failure in [UploadError.failed(operation: "write", errno: EIO), .storageFull] {
      let resource = RufhResource<RequestContext>(acts: acts) { _ in throw failure }
      let answer = await #expect(throws: HTTPFailure.self) {
        try await resource.sendOffset(RequestContext(.head), Rufh(.eight))
      }
      #expect(answer?.origin as? UploadError == failure)
      let response = try #require(answer.map { ErrorResponse($0) })
      #expect(response.cause == (failure == .storageFull ? .storageFull : .failed))
    }
  }
}
