import Glibc
package import PhotoIngestion

extension WorkerPool {
  /// Runs work that blocks on the first thread that is free, and lets the caller's thread go meanwhile. A
  /// cancelled task's work runs all the same: the way out has to be recorded too.
  package func finish<T: Sendable>(
    _ work: @escaping @Sendable () throws -> T
  ) async throws(StoreError) -> T {
    let result: Result<T, any Error> = await withCheckedContinuation { continuation in
      let isTaken = add { continuation.resume(returning: Result(catching: work)) }
      if !isTaken { continuation.resume(returning: .failure(PhotoError.shortage(errno: EAGAIN))) }
    }
    do { return try result.get() } catch { throw StoreError(error) }
  }
}
