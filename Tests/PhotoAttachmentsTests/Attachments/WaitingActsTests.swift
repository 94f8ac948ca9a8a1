import TestPictures
import TestStores
import Testing

@testable import PhotoAttachments
@testable import PhotoIngestion
@testable import PhotoStoreSQLite

@Suite("Waiting operations, and failing operations")
struct WaitingActsTests {
  private let cache = TemporaryCache()

  @Test("Waiting operations take the first free thread", .timeLimit(.minutes(1)))
  func firstFreePlace() async throws {
    let (pool, stuck, short) = (WorkerPool(threadCount: 2), Gate(), Gate())
    async let first: Void = pool.finish { stuck.wait() }
    await stuck.untilReached()
    async let second: Void = pool.finish { short.wait() }
    await short.untilReached()
    async let third = pool.finish { 3 }
    async let fourth = pool.finish { 4 }
    try await Task.sleep(for: .milliseconds(100))
    short.open()
    // The first operation still occupies its thread.
    #expect(try await third + fourth == 7)
    stuck.open()
    _ = try await (first, second)
  }

  @Test("Pictures that were stored for a failed operation are deleted, unless a record shows them")
  func released() async throws {
    let photos = try await PhotoAttachmentCache.open(cache.folder, decoding: .inProcess)
    func pictures() throws -> Int {
      try BlobPath.Kind.allCases.reduce(0) { count, kind in
        try count
          + photos.folder.entries(of: kind.rawValue).reduce(0) {
            try $0 + photos.folder.entries(of: kind.rawValue + "/" + $1).count
          }
      }
    }
    await #expect(throws: StoreError.self) {
      _ = try await photos.store(.sample(1)) { _, _ -> (value: Int, gone: [BlobPath]?) in
        throw StoreError.missingPhoto
      }
    }
    #expect(try pictures() == 0)
    // A picture that another record shows stays.
    _ = try await photos.save(draft: "b") { .sample(1) }
    let before = try pictures()
    #expect(before == 2)
    await #expect(throws: StoreError.self) {
      _ = try await photos.store(.sample(1)) { _, _ -> (value: Int, gone: [BlobPath]?) in
        throw StoreError.missingPhoto
      }
    }
    #expect(try pictures() == before)
  }
}
