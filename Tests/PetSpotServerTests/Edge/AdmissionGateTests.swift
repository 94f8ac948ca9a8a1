import Synchronization
import Testing

@testable import PetSpotServer

@Suite("Turns at the decoders")
struct AdmissionGateTests {
  private func client(_ number: UInt8) -> ClientNetwork { .ipv4([192, 0, 2, number]) }

  /// Notes who came in.
  private final class Order: Sendable {
    private let all = Mutex<[UInt8]>([])
    var clients: [UInt8] { all.withLock { $0 } }
    func add(_ client: UInt8) { all.withLock { $0.append(client) } }
  }

  /// Waits until a condition holds.
  private func wait(_ condition: () -> Bool) async throws {
    while !condition() { try await Task.sleep(for: .milliseconds(2)) }
  }

  @Test("One client's many requests delay another's by one", .timeLimit(.minutes(1)))
  func turns() async throws {
    let (gate, order) = (AdmissionGate(.init(most: 1, waiting: 64)), Order())
    let (opened, open) = AsyncStream.makeStream(of: Void.self)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await gate.pass(client(9)) { for await _ in opened {} } }
      try await wait { gate.count == 1 }
      for (number, waiting) in zip([1, 1, 1, 1, 2, 3, 2] as [UInt8], 1...) {
        group.addTask { try await gate.pass(client(number)) { order.add(number) } }
        try await wait { gate.waitingCount == waiting }
      }
      open.finish()
      try await group.waitForAll()
    }
    #expect(order.clients == [1, 2, 3, 1, 2, 1, 1])
    #expect(gate.count == 0)
  }

  @Test("Work of another kind leaves, and waits at another gate", .timeLimit(.minutes(1)))
  func changed() async throws {
    let gates = (0..<2).map { _ in AdmissionGate(.init(most: 1, waiting: 1)) }
    let order = Order()
    func large(_ number: UInt8) -> Task<Void, any Error> {
      Task {
        try await gates[0].pass(client(number), orChangingTo: gates[1]) { change in
          try await change()
          order.add(number)
        }
      }
    }
    try await gates[1].pass(client(9)) {
      let first = large(1)
      try await wait { gates[1].waitingCount == 1 }
      // Its place is free, and no other may wait there.
      try await gates[0].pass(client(2)) { order.add(2) }
      await #expect(throws: ErrorResponse.self) { try await large(1).value }
      first.cancel()
      await #expect(throws: CancellationError.self) { try await first.value }
      #expect(gates.map(\.count) == [0, 1])
    }
    try await large(3).value
    #expect(order.clients == [2, 3])
    #expect(gates.map(\.count) == [0, 0])
  }

  @Test("Who waits can be cancelled", .timeLimit(.minutes(1)))
  func cancelled() async throws {
    let gate = AdmissionGate(.init(most: 1, waiting: 64))
    try await gate.pass(client(1)) {
      let waiting = Task { try await gate.pass(client(2)) {} }
      try await wait { gate.waitingCount == 1 }
      waiting.cancel()
      await #expect(throws: CancellationError.self) { try await waiting.value }
      #expect(gate.waitingCount == 0)
    }
    #expect(gate.count == 0)
  }

  @Test("With many waiting, only those with their share are turned away", .timeLimit(.minutes(1)))
  func room() async throws {
    let gate = AdmissionGate(.init(most: 1, waiting: 4))
    try await withThrowingTaskGroup(of: Void.self) { group in
      try await gate.pass(client(9)) {
        for waiting in 1...4 {
          try gate.checkRoom(for: client(1))
          group.addTask { try await gate.pass(client(1)) {} }
          try await wait { gate.waitingCount == waiting }
        }
        #expect(throws: ErrorResponse.self) { try gate.checkRoom(for: client(1)) }
        try gate.checkRoom(for: client(2))
      }
      try await group.waitForAll()
    }
  }
}
