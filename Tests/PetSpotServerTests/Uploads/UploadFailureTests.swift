import Glibc
import HTTPTypes
import PhotoAttachments
import TestStores
import Testing

@testable import PetSpotServer
@testable import struct PetSpotServer.Stores

@Suite("Resumable uploads that fail because of the server")
struct UploadFailureTests {
  private let cache = TemporaryCache()

  @Test("The log gets the error, and the client a response without its details")
  func origin() async throws {
    let stores = try await Stores(in: cache)
    let configuration = ServerConfiguration()
    let acts = UploadActs(
      stores: stores, gates: Gates(configuration), limits: Limits(configuration, stores),
      rules: UploadRules(FolderUploads(UploadFolder(beside: stores.photos.folder))),
      waits: UploadWaits(perClient: nil))
    for failure in [UploadError.failed(operation: "write", errno: EIO), .storageFull] {
      let resource = RufhResource(acts: acts) { _ in throw failure }
      let answer = await #expect(throws: ErrorResponse.self) {
        try await resource.sendOffset(RequestContext(.head), Rufh(.eight))
      }
      #expect(answer?.origin as? UploadError == failure)
      #expect(answer?.cause == (failure == .storageFull ? .storageFull : .failed))
    }
  }
}
