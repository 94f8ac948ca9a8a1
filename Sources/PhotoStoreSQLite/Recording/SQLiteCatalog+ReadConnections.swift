import Dispatch
import Foundation
import GRDB
import Glibc
import PhotoAttachments
import Synchronization

/// What connections that only read are for: none waits for those of another kind.
enum ReadConnection {
  /// Of lists that many ask for.
  case lists
  case lookUps, searches, health

  /// How many there are.
  var count: Int {
    switch self {
    case .lists, .health: 1
    case .lookUps: 3
    case .searches: 2
    }
  }
}

extension SQLiteCatalog {
  /// Seconds that such a connection waits for a lock before the first one is asked, which waits longer.
  private static let shortTimeout = 1.0

  /// Reads on a connection of its own, without blocking the caller's thread. What any process
  /// recorded is seen; a transaction of this process is waited for only while it is committed, not while
  /// it works or while others wait for their turn.
  ///
  /// - Parameters:
  ///   - question: differs for questions with different answers; callers that ask the same one at the same
  ///     time share a read, and do not wait for a transaction of this process, see `QueryCache`.
  ///   - staysCurrent: whether the transaction that makes it another answer reads it again.
  func readBeside<T: Sendable>(
    answering question: some Hashable & Sendable, staysCurrent: Bool = false,
    _ work: @escaping @Sendable (Database) throws -> T
  ) async throws(StoreError) -> T {
    let key = QueryCache.Key(value: question)
    while true {
      switch remembered.withLock({ $0.ask(key) }) {
      case .known(let answer):
        if let answer = answer as? T { return answer }
        return try await readBeside(on: .lookUps, work)
      case .reads(let asked):
        return try await readBeside(answering: asked, staysCurrent: staysCurrent, work)
      case .joins:
        guard let answer = await joined(key) else { continue }
        if let answer = answer as? T { return answer }
        return try await readBeside(on: .lookUps, work)
      }
    }
  }

  /// What another one read; nil when there is nothing to join, or it came to nothing.
  private func joined(_ key: QueryCache.Key) async -> (any Sendable)? {
    await withCheckedContinuation { continuation in
      let hasJoined = remembered.withLock {
        $0.join(key) { continuation.resume(returning: $0) }
      }
      if !hasJoined { continuation.resume(returning: nil) }
    }
  }

  /// Reads for all who have joined by then.
  private func readBeside<T: Sendable>(
    answering asked: QueryCache.Read, staysCurrent: Bool,
    _ work: @escaping @Sendable (Database) throws -> T
  ) async throws(StoreError) -> T {
    do throws(StoreError) {
      return try await readBeside(on: .lists) { [self] db in
        let (receivers, known) = remembered.withLock {
          ($0.begin(reading: asked), $0.answer(to: asked.key) as? T)
        }
        // A transaction that began meanwhile has none read while it's committed.
        let answer = Result { try known ?? work(db) }
        // Before the first receiver: a caller that asks then gets no older one.
        if known == nil, case .success(let value) = answer {
          let kept = QueryCache.Entry(value: value, reading: staysCurrent ? work : nil)
          remembered.withLock { $0.keep(kept, to: asked) }
        }
        for receiver in receivers { receiver(try? answer.get()) }
        return try answer.get()
      }
    } catch {
      // It may not have come to reading.
      for receiver in remembered.withLock({ $0.begin(reading: asked) }) { receiver(nil) }
      throw error
    }
  }

  /// The same, of a question that is not asked twice.
  func readBeside<T: Sendable>(
    on connection: ReadConnection, _ work: @escaping @Sendable (Database) throws -> T
  ) async throws(StoreError) -> T {
    try enter()
    defer { calls.leave() }
    do throws(StoreError) {
      let queue = try begin(on: connection)
      defer { end(queue, of: connection) }
      return try await reading(queue, work)
    } catch .busy {
      // A failed disk can keep the first connection from letting go of its lock; its next use does it.
      return try await reading(queue, work)
    }
  }

  /// The same, blocking.
  func readBeside<T>(blocking work: (Database) throws -> T) throws(StoreError) -> T {
    do throws(StoreError) {
      let queue = try begin(on: .lookUps)
      defer { end(queue, of: .lookUps) }
      return try read(queue, work)
    } catch .busy {
      return try read(work)
    }
  }

  /// Reads on one of the connections, without blocking the caller's thread.
  func reading<T: Sendable>(
    _ queue: DatabaseQueue, _ work: @escaping @Sendable (Database) throws -> T
  ) async throws(StoreError) -> T {
    try enter()
    defer { calls.leave() }
    // Once more, as `read` does.
    do throws(StoreError) { return try await once(queue, work) } catch  where Self.mayPass(error) {
      return try await once(queue, work)
    }
  }

  private func once<T: Sendable>(
    _ queue: DatabaseQueue, _ work: @escaping @Sendable (Database) throws -> T
  ) async throws(StoreError) -> T {
    let result: Result<T, any Error> = await withCheckedContinuation { continuation in
      queue.asyncRead { [self] access in
        continuation.resume(returning: Result { try mappingErrors(try access.get(), work) })
      }
    }
    do { return try result.get() } catch { throw mapped(error) }
  }

  /// The connection of a kind with the fewest reads, which has one more until it is ended.
  private func begin(on connection: ReadConnection) throws(StoreError) -> DatabaseQueue {
    do {
      return try readConnections.withLock { held in
        var queues = held[connection] ?? []
        var index = queues.indices.min { queues[$0].reads < queues[$1].reads }
        if index.map({ queues[$0].reads > 0 && queues.count < connection.count }) ?? true {
          queues.append((try DatabaseQueue(path: path, configuration: readConfiguration), 0))
          index = queues.count - 1
        }
        queues[index ?? 0].reads += 1
        held[connection] = queues
        return queues[index ?? 0].queue
      }
    } catch {
      throw mapped(error)
    }
  }

  private func end(_ queue: DatabaseQueue, of connection: ReadConnection) {
    readConnections.withLock { held in
      guard let index = held[connection]?.firstIndex(where: { $0.queue === queue }) else {
        return
      }
      held[connection]?[index].reads -= 1
    }
  }

  /// Not `SQLITE_OPEN_READONLY`, which could not roll back what another process left undone.
  private var readConfiguration: Configuration {
    var configuration = Configuration()
    configuration.label = "PetSpot.catalog.reads"
    let timeout = BusyHandler(
      seconds: min(Self.shortTimeout, busyTimeout), microseconds: 100...500)
    configuration.busyMode = .callback(timeout.waits)
    configuration.prepareDatabase { db in
      try db.execute(sql: "PRAGMA trusted_schema = OFF; PRAGMA query_only = ON")
    }
    return configuration
  }
}

/// Waits for other processes and connections. SQLite's own waiting sleeps longer from try to try, up to
/// a tenth of a second: where many write, the last to come gets the lock, and others starve.
final class BusyHandler: Sendable {
  private let seconds: TimeInterval
  private let microseconds: ClosedRange<UInt32>
  private let began = Mutex(ContinuousClock.now)

  /// - Parameters:
  ///   - seconds: how long it waits altogether.
  ///   - microseconds: how long from one try to the next.
  init(seconds: TimeInterval, microseconds: ClosedRange<UInt32>) {
    (self.seconds, self.microseconds) = (seconds, microseconds)
  }

  /// Whether to try again, after a while.
  @Sendable func waits(_ tries: Int) -> Bool {
    if tries == 0 { began.withLock { $0 = .now } }
    let waited = began.withLock { ContinuousClock.now - $0 }
    guard waited < .seconds(seconds) else { return false }
    usleep(UInt32.random(in: microseconds))
    return true
  }
}
