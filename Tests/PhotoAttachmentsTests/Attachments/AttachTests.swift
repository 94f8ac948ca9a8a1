import Foundation
import Synchronization
import Testing
import TestPictures

@testable import PhotoAttachments
@testable import PhotoIngestion
@testable import PhotoStoreSQLite
import TestStores

@Suite("Attaching a photo from its source")
struct AttachTests {
  let cache = TemporaryCache()
  private static let photo = TestImage.accepted.first { $0.file == "portrait-phone.heic" }

  private func open(_ decoding: PhotoDecoding) throws -> PhotoAttachmentCache {
    try .opened(cache.folder, pool: WorkerPool(threadCount: 1), decoding: decoding)
  }

  @Test("The decoders of the cache prepare a photo in the same way as a closure")
  func decoders() async throws {
    let decoders = DecoderPool(
      executable: Petspot.path, trust: .owner(photosPerWorker: 9), spares: 0)
    let opened = try open(.sandboxed(decoders))
    let source = try #require(Self.photo).source
    let attached = try await opened.attach(source, draft: "a", assetIdentifier: "picked")
    #expect(decoders.idleWorkers.count == 1)
    #expect(attached.assetIdentifier == "picked")
    #expect(try await opened.load(draft: "a") == attached.photo)
    let pipeline = opened.pipeline
    let saved = try await opened.save(draft: "b") {
      try pipeline.prepare(source)
    }
    #expect(attached.blob == saved.blob && attached.preview == saved.preview)
  }

  @Test("Received bytes are also a source")
  func bytes() async throws {
    let opened = try open(.inProcess)
    let attached = try await opened.attach(
      .bytes(EncodedPicture.png(1).bytes, name: "rex.png"), draft: "a")
    #expect(attached.fileName == "rex.png")
    #expect(try await opened.load(draft: "a") == attached.photo)
  }

  @Test("After a refusal the previous photo stays, with the reason")
  func refused() async throws {
    let opened = try open(.inProcess)
    let good = try await opened.attach(try #require(Self.photo).source, draft: "a")
    await #expect(throws: StoreError.photo(.empty)) {
      try await opened.attach(.bytes([], name: "rex.jpg"), draft: "a")
    }
    #expect(try await opened.load(draft: "a") == good.photo)
    #expect(try await opened.failure(draft: "a") == "empty")
  }

  /// Turns that are granted at once, except for huge photos.
  final class Turns: DecodingTurns {
    private let taken = Mutex<[DecoderTurn]>([])
    /// The weights of the turns, and whether they were charged.
    var weights: [DecodingWeight] { taken.withLock { $0.map(\.weight) } }
    var costs: [Bool] { taken.withLock { $0.map { $0.cost > .zero } } }

    func pass<Value: Sendable>(
      _ turn: DecoderTurn, _ work: () async throws -> Value
    ) async throws -> Value {
      taken.withLock { $0.append(turn) }
      if turn.weight == .huge { throw StoreError.missingPhoto }
      return try await work()
    }
  }

  @Test("A photo takes a turn of its weight before decoding, and turns are charged for their cost")
  func large() async throws {
    let opened = try open(.sandboxed(DecoderPool(executable: Petspot.path, spares: 0)))
    // The canvas has 8000 x 7000 pixels, of which one is painted.
    var bytes = [UInt8](try Data(contentsOf: TestImage.folder.appending(path: "one-pixel.gif")))
    bytes.replaceSubrange(6..<10, with: [0x40, 0x1F, 0x58, 0x1B])
    let turns = Turns()
    let source = try #require(Self.photo).source
    let small = try await opened.save(
      draft: "a", of: .report, preparing: { try await opened.prepare(source, in: turns) })
    #expect(turns.weights == [.light])
    await #expect(throws: StoreError.missingPhoto) {
      try await opened.save(
        draft: "a", of: .report,
        preparing: { try await opened.prepare(.bytes(bytes, name: "large.gif"), in: turns) })
    }
    #expect(turns.weights == [.light, .light, .huge])
    #expect(turns.costs == [true, true, false])
    #expect(try await opened.load(draft: "a") == small.photo)
  }

  @Test("An attempt that is cancelled while no decoder is free leaves nothing")
  func cancelled() async throws {
    let decoders = DecoderPool(executable: Petspot.path, maxWorkers: 1)
    try decoders.enter(decoders.places)
    let opened = try open(.sandboxed(decoders))
    let source = try #require(Self.photo).source
    let attempt = Task { try await opened.attach(source, draft: "a") }
    // The only thread that prepares photos waits for a decoder, but reading the status doesn't need it.
    for _ in 0..<1_000 where try await opened.status(draft: "a") != .loading {
      try await Task.sleep(for: .milliseconds(10))
    }
    #expect(try await opened.status(draft: "a") == .loading)
    attempt.cancel()
    await #expect(throws: StoreError.cancelled) { try await attempt.value }
    #expect(try await opened.status(draft: "a") == .empty)
    #expect(cache.files.isEmpty)
  }
}
