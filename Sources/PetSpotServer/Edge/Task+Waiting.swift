/// Runs `work` in a new task that is cancelled together with the current one. A task keeps its peak memory until it
/// ends, so work that needs much is done in one that ends soon.
func inOwnTask<Value: Sendable>(
  _ work: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  let task = Task(operation: work)
  return try await withTaskCancellationHandler {
    try await task.value
  } onCancel: {
    task.cancel()
  }
}

extension Task {
  /// Waits for the result.
  ///
  /// - Returns: nil when it takes longer than `limit`, or who waits is cancelled; the task goes on all the same.
  func result(within limit: Duration) async -> Result<Success, Failure>? {
    let (results, first) = AsyncStream<Result<Success, Failure>>.makeStream()
    Task<Void, Never>.detached { first.yield(await result) }
    let clock = Task<Void, Never>.detached {
      try? await Task<Never, Never>.sleep(for: limit)
      first.finish()
    }
    defer { clock.cancel() }
    for await result in results { return result }
    return nil
  }
}
