package import Dispatch

extension DispatchQueue {
  /// Runs work that blocks, and lets the caller's thread go meanwhile. A cancelled task's work runs
  /// all the same: the way out has to be recorded too.
  package func act<T: Sendable>(
    _ work: @escaping @Sendable () throws(StoreError) -> T
  ) async throws(StoreError) -> T {
    let result: Result<T, StoreError> = await withCheckedContinuation { continuation in
      async {
        do throws(StoreError) {
          continuation.resume(returning: .success(try work()))
        } catch {
          continuation.resume(returning: .failure(error))
        }
      }
    }
    return try result.get()
  }
}
