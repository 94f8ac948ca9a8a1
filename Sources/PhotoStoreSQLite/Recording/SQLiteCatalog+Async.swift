import Dispatch
import GRDB
import PhotoAttachments

extension SQLiteCatalog {
  /// Reads on the catalog's queue without blocking the caller's thread.
  func readAsync<T: Sendable>(
    _ work: @escaping @Sendable (Database) throws -> T
  ) async throws(StoreError) -> T {
    try await reading(queue, work)
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
        continuation.resume(returning: Result { try telling(try access.get(), work) })
      }
    }
    do { return try result.get() } catch { throw mapped(error) }
  }

  /// Runs one transaction on the catalog's queue without blocking the caller's thread. A cancelled
  /// task's transaction runs all the same: the way out has to be recorded too.
  func writeAsync<T: Sendable>(
    _ work: @escaping @Sendable (Database) throws -> T
  ) async throws(StoreError) -> T {
    try enter()
    defer { calls.leave() }
    let result: Result<T, any Error> = await withCheckedContinuation { continuation in
      queue.asyncWriteWithoutTransaction { [self] db in
        continuation.resume(returning: Result { try transaction(db, dryRun: false, work) })
      }
    }
    do { return try result.get() } catch { throw mapped(error) }
  }
}
