import Synchronization
import Testing

@testable import PetSpotServer

@Suite("Requests for lost codes in the queue")
final class LostCodesTests: Sendable {
  private let codes = LostCodes()
  /// A stream whose end lets the work continue that blocks all others.
  private let (held, release) = AsyncStream<Void>.makeStream()
  private let done = Mutex<[String]>([])

  private func client(_ number: Int) throws -> ClientNetwork {
    try #require(ClientNetwork("192.0.2.\(number)"))
  }

  /// Adds a request that records its name as soon as it isn't blocked.
  private func add(_ name: String, _ announcement: String, by number: Int) throws {
    codes.add(announcement, by: try client(number)) { [held] in
      for await _ in held {}
      self.note(name)
    }
  }

  private func note(_ name: String) { done.withLock { $0.append(name) } }

  /// Unblocks all work, and waits until the queue is empty.
  private func finish() async throws {
    release.finish()
    while codes.count > 0 { await Task.yield() }
  }

  @Test("Each client has one request per announcement, and requests are done in order")
  func onePerClient() async throws {
    try add("first", "a", by: 1)
    try add("again", "a", by: 1)
    try add("another client", "a", by: 2)
    try add("another announcement", "b", by: 1)
    try add("again", "b", by: 1)
    try await finish()
    #expect(done.withLock { $0 } == ["first", "another client", "another announcement"])
    try add("later", "a", by: 1)
    try await finish()
    #expect(done.withLock { $0.last } == "later")
  }

  @Test("Requests beyond a hundred are dropped")
  func bounded() async throws {
    for number in 0..<150 { try add("\(number)", "\(number)", by: number) }
    try await finish()
    #expect(done.withLock { $0 } == (0..<100).map(String.init))
  }
}
