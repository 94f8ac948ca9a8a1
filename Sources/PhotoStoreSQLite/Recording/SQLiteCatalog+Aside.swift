import Dispatch
import GRDB
import PhotoAttachments
import Synchronization

extension SQLiteCatalog {
  /// Seconds that the second connection waits for a lock before the first one is asked, which waits longer.
  private static let shortPatience = 1.0

  /// Reads on the second connection, without blocking the caller's thread. What is on record is seen,
  /// whoever recorded it; a transaction of ours is waited for only while it is committed, not while it
  /// works or while others wait for their turn.
  ///
  /// - Parameter question: tells all questions apart that have other answers; who asks the same one
  ///   again does not wait for a transaction of ours at all, see `RememberedAnswers`.
  func readAside<T: Sendable>(
    answering question: some Hashable & Sendable,
    _ work: @escaping @Sendable (Database) throws -> T
  ) async throws(StoreError) -> T {
    let question = RememberedAnswers.Question(value: question)
    let (answer, asked) = remembered.withLock { $0.ask(question) }
    if let answer = answer as? T { return answer }
    let read = try await readAside(work)
    remembered.withLock { $0.keep(read, to: asked) }
    return read
  }

  /// The same, of a question that is not asked twice.
  func readAside<T: Sendable>(
    _ work: @escaping @Sendable (Database) throws -> T
  ) async throws(StoreError) -> T {
    try enter()
    defer { calls.leave() }
    do throws(StoreError) {
      return try await reading(second(), work)
    } catch .busy {
      // A failed disk can keep the first connection from letting go of its lock; its next use does it.
      return try await readAsync(work)
    }
  }

  private func second() throws(StoreError) -> DatabaseQueue {
    do {
      return try aside.withLock { held in
        let queue = try held ?? DatabaseQueue(path: path, configuration: asideConfiguration)
        held = queue
        return queue
      }
    } catch {
      throw mapped(error)
    }
  }

  /// Not `SQLITE_OPEN_READONLY`, which could not roll back what another process left undone.
  private var asideConfiguration: Configuration {
    var configuration = Configuration()
    configuration.label = "PetSpot.catalog.aside"
    let patience = Patience(seconds: min(Self.shortPatience, busyTimeout), microseconds: 100...500)
    configuration.busyMode = .callback(patience.waits)
    configuration.prepareDatabase { db in
      try db.execute(sql: "PRAGMA trusted_schema = OFF; PRAGMA query_only = ON")
    }
    return configuration
  }
}
