import Dispatch
import Foundation
import Glibc
import ImageContainers
import Synchronization
import Testing
import TestPictures

@testable import PhotoIngestion

@Suite("Whom a worker serves, and for how long")
struct DecoderLeaseTests {
  private static func source(_ name: String = "baseline-420.jpg") -> PhotoSource {
    .file(path: TestImage.folder.appending(path: name).path)
  }

  @Test("Where strangers meet, no worker sees a second photo, and the next one is ready")
  func strangers() throws {
    let pool = DecoderPool(executable: Petspot.path)
    let pipeline = PhotoPipeline(decoders: pool)
    #expect(pool.trust == .strangers)
    var seen: Set<Int32> = []
    for _ in 0..<3 {
      _ = try pipeline.prepare(Self.source())
      let spares = try until { pool.idleWorkers.count == 1 ? pool.idleWorkers : nil }
      #expect(pool.waiting.withLock { $0.used.isEmpty })
      #expect(seen.isDisjoint(with: spares))
      seen.formUnion(spares)
    }
    // Who served is gone.
    let living = pool.idleWorkers
    for worker in seen.subtracting(living) {
      _ = try until { kill(worker, 0) == -1 ? true : nil }
    }
  }

  @Test("One photo starts no second worker where none is asked for")
  func single() throws {
    let pool = DecoderPool(executable: Petspot.path, spares: 0)
    pool.warm()
    let worker = pool.idleWorkers
    _ = try PhotoPipeline(decoders: pool).prepare(Self.source())
    usleep(300_000)
    #expect(worker.count == 1 && pool.idleWorkers.isEmpty)
  }

  @Test("All questions about one photo go to one worker, the next photo's to another")
  func lease() throws {
    let pool = DecoderPool(executable: Petspot.path)
    let bytes = [UInt8](
      try Data(contentsOf: TestImage.folder.appending(path: "baseline-420.jpg")))
    func photo() throws -> [Int32] {
      try pool.withDecoder { lease throws(PhotoError) in
        var workers: [Int32] = []
        for work in [.prepare(.read), .raster(.jpeg, side: 8)] as [DecoderRequest.Work] {
          _ = try pool.ask(work, bytes, sha256: "", policy: .init(), of: lease)
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

  @Test("A worker that waits too long is ended, a spare one stays")
  func idle() throws {
    var limits = DecoderLimits()
    limits.idleSeconds = 1
    let pool = DecoderPool(
      executable: Petspot.path, trust: .owner(photosPerWorker: 9), spares: 0, limits: limits)
    _ = try PhotoPipeline(decoders: pool).prepare(Self.source())
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

  @Test("A worker that holds much after a photo is not kept")
  func heavy() throws {
    var limits = DecoderLimits()
    // What libraries alone take is more than an eighth of that.
    limits.memoryBytes = 340 << 20
    let pool = DecoderPool(
      executable: Petspot.path, trust: .owner(photosPerWorker: 9), spares: 0, limits: limits)
    _ = try PhotoPipeline(decoders: pool).prepare(Self.source())
    #expect(pool.idleWorkers.isEmpty)
  }

  /// A pool of one place that somebody holds.
  private func crowded(_ limits: DecoderLimits) throws -> (pool: DecoderPool, places: DecoderPlaces)
  {
    let pool = DecoderPool(executable: Petspot.path, most: 1, limits: limits)
    let places = try #require(pool.places)
    try places.take()
    return (pool, places)
  }

  @Test("A photo waits for a place no longer than it may")
  func late() throws {
    var limits = DecoderLimits()
    limits.waitSeconds = 1
    let (pool, places) = try crowded(limits)
    let pipeline = PhotoPipeline(decoders: pool)
    #expect(throws: PhotoError.crowded(seconds: 1)) { try pipeline.prepare(Self.source()) }
    #expect(PhotoError.crowded(seconds: 1).code == "busy")
    places.give()
    #expect(throws: Never.self) { try pipeline.prepare(Self.source()) }
  }

  @Test("Who finds too many waiting is turned away at once")
  func full() throws {
    var limits = DecoderLimits()
    limits.waitingPhotos = 0
    let (pool, _) = try crowded(limits)
    #expect(throws: PhotoError.crowded(seconds: 0)) {
      try PhotoPipeline(decoders: pool).prepare(Self.source())
    }
  }

  @Test("Who is cancelled waits no longer")
  func cancelled() async throws {
    let (pool, places) = try crowded(.init())
    let threads = WorkerPool(threadCount: 1)
    let task = Task {
      try await threads.run { try PhotoPipeline(decoders: pool).prepare(Self.source()) }
    }
    // The task starts on a thread that a blocking wait could hold.
    for _ in 0..<2_000 where places.waitingCount < 1 {
      try await Task.sleep(for: .milliseconds(10))
    }
    #expect(places.waitingCount == 1)
    task.cancel()
    await #expect(throws: PhotoError.cancelled) { try await task.value }
    #expect(places.waitingCount == 0)
  }

  @Test("Places are given in the order of asking")
  func order() throws {
    let (_, places) = try crowded(.init())
    let order = Names()
    let group = DispatchGroup()
    for number in 1...4 {
      group.enter()
      Thread.detachNewThread {
        try? places.take()
        order.add(number)
        places.give()
        group.leave()
      }
      _ = try until { places.waitingCount == number ? true : nil }
    }
    places.give()
    group.wait()
    #expect(order.all == [1, 2, 3, 4])
  }

  private final class Names: Sendable {
    private let state = Mutex<[Int]>([])
    var all: [Int] { state.withLock { $0 } }
    func add(_ name: Int) { state.withLock { $0.append(name) } }
  }
}

/// Waits, at most 20 seconds, for something that another thread does.
func until<T>(_ value: () -> T?) throws -> T {
  for _ in 0..<2_000 {
    if let value = value() { return value }
    usleep(10_000)
  }
  return try #require(value())
}
