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
