import Dispatch
import Foundation
import Glibc
import ImageContainers
import Synchronization
import Testing
import TestPictures

@testable import PhotoIngestion

@Suite("Leases of decoder workers")
struct DecoderLeaseTests {
  private static func source(_ name: String = "baseline-420.jpg") -> PhotoSource {
    .file(path: TestImage.folder.appending(path: name).path)
  }

  @Test("Where strangers meet, each worker handles one photo, and the next one is ready")
  func strangers() throws {
    let pool = DecoderPool(executable: Petspot.path)
    let pipeline = PhotoPipeline(decoding: .sandboxed(pool))
    #expect(pool.trust == .strangers)
    var seen: Set<Int32> = []
    for _ in 0..<3 {
      _ = try pipeline.prepare(Self.source())
      let spares = try until { pool.idleWorkers.count == 1 ? pool.idleWorkers : nil }
      #expect(pool.waiting.withLock { $0.used.isEmpty })
      #expect(seen.isDisjoint(with: spares))
      seen.formUnion(spares)
    }
    // The workers that handled a photo are gone.
    let living = pool.idleWorkers
    for worker in seen.subtracting(living) {
      _ = try until { kill(worker, 0) == -1 ? true : nil }
    }
  }

  @Test("One photo starts no second worker unless spares are requested")
  func single() throws {
    let pool = DecoderPool(executable: Petspot.path, spares: 0)
    pool.warm()
    let worker = pool.idleWorkers
    _ = try PhotoPipeline(decoding: .sandboxed(pool)).prepare(Self.source())
    usleep(300_000)
    #expect(worker.count == 1 && pool.idleWorkers.isEmpty)
  }

  @Test("All requests about one photo use one worker, and the next photo's use another")
  func lease() throws {
    let pool = DecoderPool(executable: Petspot.path)
    let bytes = [UInt8](
      try Data(contentsOf: TestImage.folder.appending(path: "baseline-420.jpg")))
    func photo() throws -> [Int32] {
      try pool.lending(nil) { lease in
        var workers: [Int32] = []
        for work in [.prepare(.codedAnew), .raster(.jpeg, side: 8)] as [DecoderRequest.Work] {
          var times = StageTimes()
          _ = try pool.answer(
            DecoderRequest(work: work, policy: .init()), about: bytes, sha256: "", of: lease,
            times: &times)
          workers += lease.worker.map { [$0.pid] } ?? []
        }
        return workers
      }
    }
    let (one, two) = (try photo(), try photo())
    #expect(one.count == 2 && Set(one).count == 1)
    #expect(two.count == 2 && Set(two).count == 1)
    #expect(one != two)
  }

  @Test("A worker that waits too long is ended, but a spare one stays")
  func idle() throws {
    var limits = DecoderLimits()
    limits.idleTime = .seconds(1)
    let pool = DecoderPool(
      executable: Petspot.path, trust: .owner(photosPerWorker: 9), spares: 0, limits: limits)
    _ = try PhotoPipeline(decoding: .sandboxed(pool)).prepare(Self.source())
    pool.warm()
    let workers = pool.idleWorkers
    #expect(workers.count == 2)
    _ = try until { pool.idleWorkers.isEmpty ? true : nil }
    for worker in workers { _ = try until { kill(worker, 0) == -1 ? true : nil } }

    let ready = DecoderPool(executable: Petspot.path, spares: 1, limits: limits)
    ready.warm(2)
    _ = try until { ready.idleWorkers.count == 1 ? true : nil }
    usleep(1_500_000)
    #expect(ready.idleWorkers.count == 1)
  }

  @Test("A worker that holds much memory after a photo isn't kept")
  func heavy() throws {
    var limits = DecoderLimits()
    // The libraries alone take more than an eighth of that.
    limits.memoryBytes = 340 << 20
    let pool = DecoderPool(
      executable: Petspot.path, trust: .owner(photosPerWorker: 9), spares: 0, limits: limits)
    _ = try PhotoPipeline(decoding: .sandboxed(pool)).prepare(Self.source())
    #expect(pool.idleWorkers.isEmpty)
  }

  @Test("A photo waits for a place, unless it is cancelled", .timeLimit(.minutes(1)))
  func places() async throws {
    let pool = DecoderPool(executable: Petspot.path, maxWorkers: 1)
    try pool.enter(pool.places)
    let threads = WorkerPool(threadCount: 2)
    let begun = Count()
    func begin() -> Task<Bool, any Error> {
      Task {
        try await threads.run {
          begun.value.add(1, ordering: .relaxed)
          return try PhotoPipeline(decoding: .sandboxed(pool)).prepare(Self.source()).blob.bytes
            .isEmpty
        }
      }
    }
    let (waiting, cancelled) = (begin(), begin())
    while begun.value.load(ordering: .relaxed) < 2 { try await Task.sleep(for: .milliseconds(2)) }
    cancelled.cancel()
    await #expect(throws: PhotoError.cancelled) { try await cancelled.value }
    try await Task.sleep(for: .milliseconds(300))
    // A photo with a place would have a worker by now, and the next one a spare.
    #expect(pool.idleWorkers.isEmpty)
    pool.places?.signal()
    #expect(try await !waiting.value)
  }

  private final class Count: Sendable { let value = Atomic(0) }
}

/// Waits at most 20 seconds for a value that depends on another thread.
func until<T>(_ value: () -> T?) throws -> T {
  for _ in 0..<2_000 {
    if let value = value() { return value }
    usleep(10_000)
  }
  return try #require(value())
}
