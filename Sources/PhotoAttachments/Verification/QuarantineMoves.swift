import Synchronization

/// Which files this run moved to quarantine, and which lay there before.
final class QuarantineMoves: Sendable {
  private struct State {
    var earlier: [BlobPath: String] = [:]
    var moved: [BlobPath: (problem: StoreProblem, path: String)] = [:]
  }

  private let state = Mutex(State())

  /// Begins a run with the files that lie in quarantine already.
  func reset(earlier files: [BlobPath]) {
    state.withLock { state in
      state = State()
      for file in files { state.earlier[file.origin] = file.relativePath }
    }
  }

  func add(_ blobPath: BlobPath, _ problem: StoreProblem, _ path: String) {
    state.withLock { $0.moved[blobPath] = (problem, path) }
  }

  /// Why this run moved the file away; several photos may share it.
  func problem(at blobPath: BlobPath) -> StoreProblem? {
    state.withLock { $0.moved[blobPath]?.problem }
  }

  /// Where the file lies that was moved away, now or earlier.
  func path(from blobPath: BlobPath) -> String? {
    state.withLock { $0.moved[blobPath]?.path ?? $0.earlier[blobPath] }
  }

  /// Files that this run moved.
  var count: Int { state.withLock { $0.moved.count } }
}
