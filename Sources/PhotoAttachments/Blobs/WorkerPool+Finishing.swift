import Glibc
package import PhotoIngestion

extension WorkerPool {
  /// Runs blocking work on the first free thread without blocking the caller's thread. Runs it even if the task is
  /// cancelled, because the cleanup after a cancellation must be recorded too.
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
