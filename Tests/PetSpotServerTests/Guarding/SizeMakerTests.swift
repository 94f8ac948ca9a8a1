import Foundation
import Synchronization
import TestPictures
import TestStores
import Testing

@testable import PetSpotServer
@testable import PhotoAttachments
@testable import PhotoIngestion
@testable import PhotoStoreSQLite

@Suite("Making sizes")
struct SizeMakerTests {
  private let cache = TemporaryCache()
  private let client = ClientNetwork.ipv4([192, 0, 2, 1])

  @Test("A picture that no size can be made of costs a decoder once in ten minutes")
  func refusals() async throws {
    let photos = try await PhotoAttachmentCache.open(cache.folder, decoders: nil)
    let now = Mutex(Date(timeIntervalSince1970: 1_800_000_000))
    let making = SizeMaker(
      photos, AdmissionGate(.init(most: 1, waitingPhotos: 1)), limitsClients: true
    ) { now.withLock { $0 } }
    let photo = try await photos.save(draft: "a") {
      PreparedPhoto(
        facts: PreparedPhoto.sample(1).facts, blob: .pngWithoutPixels, preview: .png(1))
    }.photo
    let form = SizeForm.all(width: 1, height: 1)[0]
    func refusal() async -> StoreError? {
      do {
        _ = try await making.size(form, of: photo, for: client)
        return nil
      } catch { return error as? StoreError }
    }
    let first = try #require(await refusal())
    guard case .photo(let error) = first, error.blame == .photo else {
      Issue.record("\(first)")
      return
    }
    // Whether it is looked at again shows in what is said once its bytes are gone.
    try FileManager.default.removeItem(atPath: cache.folder.path + "/" + photo.blob.path)
    now.withLock { $0 += 599 }
    #expect(await refusal() == first)
    now.withLock { $0 += 2 }
    #expect(await refusal() == .missingPhoto)
    // What is no fault of the picture is not remembered.
    try Data(EncodedPicture.pngWithoutPixels.bytes).write(
      to: URL(fileURLWithPath: cache.folder.path + "/" + photo.blob.path))
    #expect(await refusal() == first)
    // Nor is the future, when a clock was set back.
    try FileManager.default.removeItem(atPath: cache.folder.path + "/" + photo.blob.path)
    now.withLock { $0 -= 3600 }
    #expect(await refusal() == .missingPhoto)
  }
}
