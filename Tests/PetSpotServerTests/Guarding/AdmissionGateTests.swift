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
    let (gate, order) = (AdmissionGate(.init(most: 1, waitingPhotos: 64)), Order())
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

  @Test("Who waits can be cancelled", .timeLimit(.minutes(1)))
  func cancelled() async throws {
    let gate = AdmissionGate(.init(most: 1, waitingPhotos: 64))
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
    let gate = AdmissionGate(.init(most: 1, waitingPhotos: 4))
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

  @Test("Sizes take turns with photos, and no more than their share", .timeLimit(.minutes(1)))
  func sizes() async throws {
    let gate = AdmissionGate(.init(most: 2, mostSizes: 1, waitingPhotos: 4, waitingSizes: 2))
    let order = Order()
    let doors = (1...5).map { _ in AsyncStream.makeStream(of: Void.self) }
    @Sendable func hold(_ number: UInt8, _ work: AdmissionGate.Work, _ door: Int) async throws {
      try await gate.pass(client(number), work) {
        order.add(number)
        for await _ in doors[door].stream {}
      }
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await hold(1, .size, 0) }
      try await wait { gate.count == 1 }
      // There is room, but not for another size.
      group.addTask { try await hold(2, .size, 2) }
      try await wait { gate.waitingCount == 1 }
      group.addTask { try await hold(3, .photo, 1) }
      try await wait { gate.count == 2 }
      group.addTask { try await hold(4, .photo, 3) }
      try await wait { gate.waitingCount == 2 }
      #expect(gate.waitingCount(of: client(2), .size) == 1)
      #expect(gate.waitingCount(of: client(2), .photo) == 0)
      // A photo makes room for a photo, a size for the size that came before.
      doors[1].continuation.finish()
      try await wait { order.clients == [1, 3, 4] }
      try gate.checkRoom(for: client(2), .size)
      group.addTask { try await hold(2, .size, 4) }
      try await wait { gate.waitingCount == 2 }
      #expect(throws: ErrorResponse.self) { try gate.checkRoom(for: client(2), .size) }
      try gate.checkRoom(for: client(2), .photo)
      doors[0].continuation.finish()
      try await wait { order.clients == [1, 3, 4, 2] }
      for door in doors { door.continuation.finish() }
      try await group.waitForAll()
    }
    #expect(gate.count == 0 && gate.waitingCount == 0)
  }
}
