import Synchronization
import Testing

@testable import PetSpotServer

@Suite("Requests for lost codes that wait")
final class LostCodesTests: Sendable {
  private let codes = LostCodes()
  /// Lets the work go on that holds all others up.
  private let (held, release) = AsyncStream<Void>.makeStream()
  private let done = Mutex<[String]>([])

  private func client(_ number: Int) throws -> ClientNetwork {
    try #require(ClientNetwork("192.0.2.\(number)"))
  }

  /// Adds a request that notes its name once nothing holds it up.
  private func add(_ name: String, _ announcement: String, by number: Int) throws {
    codes.add(announcement, by: try client(number)) { [held] in
      for await _ in held {}
      self.note(name)
    }
  }

  private func note(_ name: String) { done.withLock { $0.append(name) } }

  /// Lets all work go on, and waits for a request behind it.
  private func finish() async throws {
    release.finish()
    while codes.count > 0 { await Task.yield() }
  }

  @Test("Each client has one for an announcement, and they are done in their order")
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

  @Test("Beyond a hundred they are dropped")
  func bounded() async throws {
    for number in 0..<150 { try add("\(number)", "\(number)", by: number) }
    try await finish()
    #expect(done.withLock { $0 } == (0..<100).map(String.init))
  }
}
