/// Runs `work` in a new task that is canceled together with the current one. A task keeps its peak memory until it
/// ends, so work that needs much memory runs in a short one.
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
  /// - Returns: `nil` if the result takes longer than `limit` or the waiting task is canceled. The task itself
  ///   continues.
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
