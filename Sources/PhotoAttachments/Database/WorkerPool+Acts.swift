import Glibc
package import PhotoIngestion

extension WorkerPool {
  /// Runs work that blocks on the first thread that is free, and lets the caller's thread go meanwhile. A
  /// cancelled task's work runs all the same: the way out has to be recorded too.
  package func act<T: Sendable>(
    _ work: @escaping @Sendable () throws(StoreError) -> T
  ) async throws(StoreError) -> T {
    let result: Result<T, StoreError> = await withCheckedContinuation { continuation in
      let isTaken = add {
        do throws(StoreError) {
          continuation.resume(returning: .success(try work()))
        } catch {
          continuation.resume(returning: .failure(error))
        }
      }
      if !isTaken { continuation.resume(returning: .failure(.photo(.shortage(errno: EAGAIN)))) }
    }
    return try result.get()
  }
}
