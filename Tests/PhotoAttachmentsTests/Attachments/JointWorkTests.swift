import PhotoAttachments
import Synchronization
import Testing

@Suite("Work that several requests wait for")
struct JointWorkTests {
  private let work = JointWork<Int, Int>()

  /// Work that lasts until it is cancelled, and counts its runs.
  private final class Endless: Sendable {
    let begun = Atomic(0)
    let ended = Atomic(0)

    @Sendable func run() async throws -> Int {
      begun.add(1, ordering: .relaxed)
      defer { ended.add(1, ordering: .relaxed) }
      try await Task.sleep(for: .seconds(600))
      return 0
    }
  }

  private func wait(_ condition: () -> Bool) async throws {
    while !condition() { try await Task.sleep(for: .milliseconds(2)) }
  }

  @Test("Work is done once for all requests with the same key")
  func once() async throws {
    let (opened, open) = AsyncStream.makeStream(of: Void.self)
    let count = Atomic(0)
    let make: @Sendable () async throws -> Int = {
      for await _ in opened {}
      return count.add(1, ordering: .relaxed).newValue
    }
    async let one = work.value(1, make)
    async let two = work.value(1, make)
    try await Task.sleep(for: .milliseconds(20))
    open.finish()
    #expect(try await [one, two] == [1, 1])
    #expect(try await work.value(1, make) == 2)
  }

  @Test("Work ends when the last request stops waiting", .timeLimit(.minutes(1)))
  func left() async throws {
    let endless = Endless()
    let waiting = (0..<2).map { _ in Task { try await work.value(1, endless.run) } }
    try await wait { endless.begun.load(ordering: .relaxed) == 1 }
    try await Task.sleep(for: .milliseconds(20))
    waiting[0].cancel()
    try await Task.sleep(for: .milliseconds(20))
    #expect(endless.ended.load(ordering: .relaxed) == 0)
    waiting[1].cancel()
    try await wait { endless.ended.load(ordering: .relaxed) == 1 }
    for task in waiting { await #expect(throws: CancellationError.self) { try await task.value } }
  }

  @Test("Once stopped, work ends and new work doesn't begin", .timeLimit(.minutes(1)))
  func stopped() async throws {
    let endless = Endless()
    let waiting = Task { try await work.value(1, endless.run) }
    try await wait { endless.begun.load(ordering: .relaxed) == 1 }
    work.stop()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    await #expect(throws: CancellationError.self) { try await work.value(2, endless.run) }
    #expect(endless.begun.load(ordering: .relaxed) == 1)
  }
}
