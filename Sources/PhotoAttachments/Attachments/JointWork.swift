import Synchronization

/// Shares work between callers. Starts it once per key, and cancels it when no caller waits for it anymore.
package final class JointWork<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private struct Work {
    let task: Task<Value, any Error>
    var waiting = 0
  }

  private let state = Mutex<(works: [Key: Work], isStopped: Bool)>(([:], false))

  package init() {}

  /// Returns the value of a key's work. Starts the work unless it's in progress.
  ///
  /// - Throws: the errors of `make`; `CancellationError` after `stop`.
  package func value(
    _ key: Key, _ make: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let task = try state.withLock { state in
      if state.isStopped { throw CancellationError() }
      var work = state.works[key] ?? Work(task: Task(operation: make))
      work.waiting += 1
      state.works[key] = work
      return work.task
    }
    let hasLeft = Atomic(false)
    let leaveOnce = { @Sendable [self] in
      if !hasLeft.exchange(true, ordering: .relaxed) { leave(key, task) }
    }
    defer { leaveOnce() }
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      leaveOnce()
    }
  }

  private func leave(_ key: Key, _ task: Task<Value, any Error>) {
    state.withLock { state in
      guard var work = state.works[key], work.task == task else { return }
      work.waiting -= 1
      state.works[key] = work.waiting > 0 ? work : nil
      if work.waiting == 0 { task.cancel() }
    }
  }

  /// Cancels all work and refuses new work.
  package func stop() {
    let works = state.withLock { state in
      state.isStopped = true
      return state.works.values.map(\.task)
    }
    for task in works { task.cancel() }
  }
}
