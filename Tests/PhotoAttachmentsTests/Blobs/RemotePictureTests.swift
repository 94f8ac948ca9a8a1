import Foundation
import ImageContainers
import PhotoIngestion
import Synchronization
import Testing

@testable import PhotoAttachments

@Suite("Pictures from an object store")
struct RemotePictureTests {
  private let piece = RemotePicture.pieceBytes

  /// A store with these bytes, which records requests.
  private final class Store: Sendable {
    let bytes: Mutex<[UInt8]>
    let asked = Mutex<[Range<Int>]>([])

    init(_ count: Int) {
      bytes = Mutex((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
    }

    var askedCount: Int { asked.withLock(\.count) }

    func open() throws -> PictureBody {
      let now = bytes.withLock { $0 }
      return try open(sha256(of: now), now.count)
    }

    func open(_ digest: String, _ count: Int) throws -> PictureBody {
      .remote(
        try RemotePicture(sizeBytes: count, sha256: digest) { [self] range in
          asked.withLock { $0.append(range) }
          return bytes.withLock { Array($0[range.clamped(to: 0..<$0.count)]) }
        })
    }
  }

  private func read(_ body: PictureBody, by step: Int) async throws -> [UInt8] {
    var bytes: [UInt8] = []
    for start in stride(from: 0, to: body.count, by: step) {
      bytes += try await body.readBytes(start..<min(start + step, body.count))
    }
    return bytes
  }

  @Test(
    "A picture arrives whole and in order, in pieces that are fetched when they are needed",
    arguments: [1000, 65_536, 300_000])
  func pieces(_ step: Int) async throws {
    let store = Store(3 * piece + 17)
    let body = try store.open()
    #expect(store.askedCount == 1)
    _ = try await body.readBytes(0..<100)
    #expect(store.askedCount == 1)
    let again = try store.open()
    #expect(try await read(again, by: step) == store.bytes.withLock { $0 })
    #expect(store.asked.withLock { $0.suffix(4).map(\.count) } == [piece, piece, piece, 17])
  }

  @Test("If a picture was changed, its last piece is never returned", arguments: [0, 1, 2])
  func changed(_ place: Int) async throws {
    let store = Store(2 * piece + 5)
    let digest = store.bytes.withLock { sha256(of: $0) }
    store.bytes.withLock { $0[place * RemotePicture.pieceBytes] ^= 1 }
    let body = try store.open(digest, 2 * piece + 5)
    _ = try await body.readBytes(0..<2 * piece)
    await #expect(throws: StoreError.fault(.blobDamaged)) {
      try await body.readBytes(2 * RemotePicture.pieceBytes..<2 * RemotePicture.pieceBytes + 1)
    }
  }

  @Test("A picture that became shorter fails before its end, or at its start if it has one piece")
  func shorter() async throws {
    let store = Store(2 * piece)
    let digest = store.bytes.withLock { sha256(of: $0) }
    store.bytes.withLock { _ = $0.popLast() }
    let body = try store.open(digest, 2 * piece)
    await #expect(throws: StoreError.fault(.blobDamaged)) {
      try await read(body, by: 65_536)
    }
    let small = Store(100)
    #expect(throws: StoreError.fault(.blobDamaged)) { try small.open(digest, 100) }
  }
}
