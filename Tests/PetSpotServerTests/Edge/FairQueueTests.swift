import Synchronization
import Testing

@testable import PetSpotServer

@Suite("Turns of a fair queue")
struct FairQueueTests {
  private func client(_ number: UInt8) -> ClientNetwork { .ipv4([192, 0, 2, number]) }

  /// A recorder of the order in which clients enter.
  private final class Order: Sendable {
    private let all = Mutex<[UInt8]>([])
    var clients: [UInt8] { all.withLock { $0 } }
    func add(_ client: UInt8) { all.withLock { $0.append(client) } }
  }

  /// A requested turn, with its client, weight and cost.
  private struct Asked {
    var client: UInt8
    var weight = 0
    var cost = 1.0
  }

  /// Waits until a condition holds.
  private func wait(_ condition: () -> Bool) async throws {
    while !condition() { try await Task.sleep(for: .milliseconds(2)) }
  }

  /// Returns the clients in the order of their turns, one at a time. All of them wait for a first turn to end.
  private func order(_ asked: [Asked], in queue: FairQueue) async throws -> [UInt8] {
    let order = Order()
    let first = try await queue.enter(client(99))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (one, waiting) in zip(asked, 1...) {
        group.addTask {
          let turn = try await queue.enter(client(one.client), weight: one.weight)
          order.add(one.client)
          queue.leave(turn, cost: one.cost)
        }
        try await wait { queue.waitingCount == waiting }
      }
      queue.leave(first, cost: 0)
      try await group.waitForAll()
    }
    return order.clients
  }

  @Test(
    "One client's many requests delay another client's request by only one turn",
    .timeLimit(.minutes(1)))
  func turns() async throws {
    let queue = FairQueue(.init(running: [1], waiting: 64))
    let asked = [1, 1, 1, 1, 2, 3, 2].map { Asked(client: $0) }
    #expect(try await order(asked, in: queue) == [1, 2, 3, 1, 2, 1, 1])
    #expect(queue.count == 0)
  }

  @Test("A client stays charged for its work after a thousand others", .timeLimit(.minutes(1)))
  func remembersCharges() async throws {
    let queue = FairQueue(.init(running: [1], waiting: 64))
    queue.leave(try await queue.enter(client(1)), cost: 100)
    for number in 0..<1100 {
      let other = ClientNetwork.ipv4([10, 0, UInt8(number / 256), UInt8(number % 256)])
      queue.leave(try await queue.enter(other))
    }
    let asked = [1, 2].map { Asked(client: $0) }
    #expect(try await order(asked, in: queue) == [2, 1])
  }

  @Test(
    "When too many requests wait, one of the client with the most is refused",
    .timeLimit(.minutes(1)))
  func makesRoom() async throws {
    let queue = FairQueue(.init(running: [1], waiting: 64, waitingInAll: 3))
    let first = try await queue.enter(client(99))
    let waiting = [1, 2, 1].enumerated().map { index, number in
      Task {
        while queue.waitingCount < index { await Task.yield() }
        queue.leave(try await queue.enter(client(UInt8(number)), isRefusable: false))
      }
    }
    try await wait { queue.waitingCount == 3 }
    // Client 1 has two waiting requests, and client 3 has none.
    let third = Task { queue.leave(try await queue.enter(client(3), isRefusable: false)) }
    await #expect(throws: ErrorResponse.self) { try await waiting[2].value }
    #expect(queue.waitingCount == 3)
    // Each client has one, so the newest request is refused.
    await #expect(throws: ErrorResponse.self) {
      _ = try await queue.enter(client(1), isRefusable: false)
    }
    queue.leave(first)
    for task in [waiting[0], waiting[1], third] { try await task.value }
    #expect(queue.count == 0 && queue.waitingCount == 0)
  }

  @Test("Turns are charged by their cost", .timeLimit(.minutes(1)))
  func costs() async throws {
    let queue = FairQueue(.init(running: [1], waiting: 64))
    let dear = (0..<2).map { _ in Asked(client: 1, cost: 10) }
    let cheap = (0..<5).map { _ in Asked(client: 2, cost: 2) }
    #expect(try await order(dear + cheap, in: queue) == [1, 2, 2, 2, 2, 2, 1])
  }

  @Test(
    "A newcomer starts with no more debt than the clients that were there", .timeLimit(.minutes(1)))
  func newcomer() async throws {
    let queue = FairQueue(.init(running: [1], waiting: 64))
    let dear = [Asked(client: 1, cost: 10), Asked(client: 1, cost: 10)]
    #expect(try await order(dear, in: queue) == [1, 1])
    let mixed = [1, 1, 3, 3].map { Asked(client: $0) }
    #expect(try await order(mixed, in: queue) == [3, 3, 1, 1])
  }

  @Test("Heavy turns leave a place for light ones", .timeLimit(.minutes(1)))
  func weights() async throws {
    let queue = FairQueue(.init(running: [3, 2, 1], waiting: 64))
    let huge = try await queue.enter(client(1), weight: 2)
    let heavy = try await queue.enter(client(1), weight: 1)
    let waiting = [2, 1].map { weight in
      Task { try await queue.enter(client(2), weight: weight) }
    }
    try await wait { queue.waitingCount == 2 }
    let light = try await queue.enter(client(1))
    #expect(queue.count == 3)
    // A huge request only gets the place of a huge one.
    queue.leave(heavy)
    let next = try await waiting[1].value
    #expect(queue.waitingCount == 1)
    queue.leave(huge)
    let last = try await waiting[0].value
    for turn in [light, next, last] { queue.leave(turn) }
    #expect(queue.count == 0 && queue.waitingCount == 0)
  }

  @Test("A waiting request can be cancelled", .timeLimit(.minutes(1)))
  func cancelled() async throws {
    let queue = FairQueue(.init(running: [1], waiting: 64))
    try await queue.pass(client(1)) {
      let waiting = Task { try await queue.pass(client(2)) {} }
      try await wait { queue.waitingCount == 1 }
      waiting.cancel()
      await #expect(throws: CancellationError.self) { try await waiting.value }
      #expect(queue.waitingCount == 0)
    }
    #expect(queue.count == 0)
  }

  @Test(
    "With many requests waiting, only clients with their full share are refused",
    .timeLimit(.minutes(1)))
  func room() async throws {
    let queue = FairQueue(.init(running: [1], waiting: 4))
    try await withThrowingTaskGroup(of: Void.self) { group in
      try await queue.pass(client(9)) {
        for waiting in 1...4 {
          try queue.checkRoom(for: client(1))
          group.addTask { try await queue.pass(client(1)) {} }
          try await wait { queue.waitingCount == waiting }
        }
        #expect(throws: ErrorResponse.self) { try queue.checkRoom(for: client(1)) }
        await #expect(throws: ErrorResponse.self) { try await queue.pass(client(1)) {} }
        try queue.checkRoom(for: client(2))
      }
      try await group.waitForAll()
    }
  }

  @Test("If requests come at the same moment, no more than the limit wait", .timeLimit(.minutes(1)))
  func atOnce() async throws {
    let queue = FairQueue(.init(running: [1], waiting: 64, waitingPerClient: 8))
    let first = try await queue.enter(client(9))
    let asked = (0..<40).map { _ in
      Task {
        do throws(any Error) {
          queue.leave(try await queue.enter(client(1)))
          return true
        } catch { return false }
      }
    }
    try await wait { queue.waitingCount == 8 }
    try await Task.sleep(for: .milliseconds(50))
    queue.leave(first)
    var passed = 0
    for task in asked where await task.value { passed += 1 }
    #expect(passed == 8)
  }
}
