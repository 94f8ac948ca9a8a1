import Synchronization

/// What this run moved to quarantine, and what lay there before.
final class MovedFiles: Sendable {
  private struct State {
    var earlier: [BlobPath: String] = [:]
    var moved: [BlobPath: (problem: StoreProblem, path: String)] = [:]
  }

  private let state = Mutex(State())

  /// Notes what lies in quarantine at the beginning.
  func begin(_ files: [BlobPath]) {
    state.withLock { state in
      state = State()
      for file in files { state.earlier[file.origin] = file.relativePath }
    }
  }

  func add(_ place: BlobPath, _ problem: StoreProblem, _ path: String) {
    state.withLock { $0.moved[place] = (problem, path) }
  }

  /// Why this run moved the file away; several photos may share it.
  func problem(at place: BlobPath) -> StoreProblem? {
    state.withLock { $0.moved[place]?.problem }
  }

  /// Where the file lies that was moved away, now or earlier.
  func path(from place: BlobPath) -> String? {
    state.withLock { $0.moved[place]?.path ?? $0.earlier[place] }
  }

  /// Files that this run moved.
  var count: Int { state.withLock { $0.moved.count } }
}
