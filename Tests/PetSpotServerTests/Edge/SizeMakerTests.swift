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
  private let queue = FairQueue(.init(running: [1, 1, 1], waiting: 64))

  @Test("If no size can be made of a picture, a decoder tries again only after ten minutes")
  func refusals() async throws {
    let photos = try await PhotoAttachmentCache.open(cache.folder, decoding: .inProcess)
    let now = Mutex(Date(timeIntervalSince1970: 1_800_000_000))
    let making = SizeMaker(photos, queue) { now.withLock { $0 } }
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
    // After the bytes are gone, the error shows whether the picture was read again.
    try FileManager.default.removeItem(atPath: cache.folder.path + "/" + photo.blob.path)
    now.withLock { $0 += 599 }
    #expect(await refusal() == first)
    now.withLock { $0 += 2 }
    #expect(await refusal() == .missingPhoto)
    // Failures that aren't the picture's own are not remembered.
    try Data(EncodedPicture.pngWithoutPixels.bytes).write(
      to: URL(fileURLWithPath: cache.folder.path + "/" + photo.blob.path))
    #expect(await refusal() == first)
    // A remembered failure in the future, after the clock was set back, doesn't count either.
    try FileManager.default.removeItem(atPath: cache.folder.path + "/" + photo.blob.path)
    now.withLock { $0 -= 3600 }
    #expect(await refusal() == .missingPhoto)
  }

  @Test("A server that shuts down cancels its sizes and makes no more", .timeLimit(.minutes(1)))
  func stopped() async throws {
    let photos = try await PhotoAttachmentCache.open(cache.folder, decoding: .inProcess)
    let photo = try await photos.save(draft: "a") { .sample(1) }.photo
    let making = SizeMaker(photos, queue)
    let form = SizeForm.all(width: 1, height: 1)[0]
    _ = try await making.size(form, of: photo, for: client)
    making.stop()
    await #expect(throws: CancellationError.self) {
      _ = try await making.size(form, of: photo, for: client)
    }
    #expect(making.waitingCount == 0)
  }

  @Test("A size that another client's turn made isn't made again", .timeLimit(.minutes(1)))
  func made() async throws {
    let photos = try await PhotoAttachmentCache.open(cache.folder, decoding: .inProcess)
    let photo = try await photos.save(draft: "a") { .sample(1) }.photo
    let making = SizeMaker(photos, queue)
    let form = SizeForm.all(width: 1, height: 1)[0]
    let first = try await queue.enter(client)
    let asking = [client, .ipv4([192, 0, 2, 2])].map { client in
      Task { try await making.size(form, of: photo, for: client) }
    }
    while making.waitingCount < 2 { try await Task.sleep(for: .milliseconds(2)) }
    queue.leave(first)
    let one = try await asking[0].value
    // The second request's turn came after the first one's.
    try FileManager.default.removeItem(atPath: cache.folder.path + "/" + photo.blob.path)
    #expect(try await asking[1].value == one)
  }

  @Test("A request that is cancelled before it waits ends at once", .timeLimit(.minutes(1)))
  func cancelled() async throws {
    let photos = try await PhotoAttachmentCache.open(cache.folder, decoding: .inProcess)
    let photo = try await photos.save(draft: "a") { .sample(1) }.photo
    let making = SizeMaker(photos, queue)
    let first = try await queue.enter(client)
    defer { queue.leave(first) }
    let form = SizeForm.all(width: 1, height: 1)[0]
    let asking = Task { try await making.size(form, of: photo, for: client) }
    while making.waitingCount == 0 { try await Task.sleep(for: .milliseconds(2)) }
    asking.cancel()
    await #expect(throws: CancellationError.self) { _ = try await asking.value }
    #expect(making.waitingCount == 0)
  }
}
