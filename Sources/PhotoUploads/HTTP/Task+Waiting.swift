extension Task {
  /// Waits for the result.
  ///
  /// - Returns: `nil` if the result takes longer than `limit` or the waiting task is canceled. The task itself
  ///   continues.
  package func result(within limit: Duration) async -> Result<Success, Failure>? {
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
