import Synchronization

/// What a run has learned of pictures: which the store could not give, and what it answered (each is asked
/// for once: the second look holds the catalog, and an answer may take seconds); which files it moved to
/// quarantine, and which lay there before.
final class SeenPictures: Sendable {
  /// More without a single picture in between mean that the store is down.
  private static let most = 64

  private struct State {
    var answers: [BlobPath: String] = [:]
    var inARow = 0
    var earlier: [BlobPath: String] = [:]
    var moved: [BlobPath: (problem: StoreProblem, path: String)] = [:]
  }

  private let state = Mutex(State())

  /// Begins a run with the files that lie in quarantine already.
  func reset(earlier files: [BlobPath]) {
    let earlier = Dictionary(files.map { ($0.origin, $0.relativePath) }) { $1 }
    state.withLock { $0 = State(earlier: earlier) }
  }

  /// Notes what the store answered.
  ///
  /// - Throws: errors that are not about one picture, and any once there are too many in a row.
  func refuse(_ place: BlobPath, _ error: StoreError) throws(StoreError) {
    guard case .serviceFailed(_, let answer) = error else { throw error }
    let inARow = state.withLock { state in
      state.answers[place] = answer
      state.inARow += 1
      return state.inARow
    }
    if inARow > Self.most { throw error }
  }

  /// Notes that the store gave a picture.
  func give(_ place: BlobPath) {
    state.withLock { state in
      state.answers[place] = nil
      state.inARow = 0
    }
  }

  /// What the store answered; nil for a picture that it gave.
  func answer(for place: BlobPath) -> String? { state.withLock { $0.answers[place] } }

  /// Notes that this run moved a file away.
  func move(_ place: BlobPath, _ problem: StoreProblem, _ path: String) {
    state.withLock { $0.moved[place] = (problem, path) }
  }

  /// Why this run moved the file away (several photos may share it), and where the file lies that was moved
  /// away, now or earlier.
  func moved(from place: BlobPath) -> (problem: StoreProblem?, path: String?) {
    state.withLock { state in
      let moved = state.moved[place]
      return (moved?.problem, moved?.path ?? state.earlier[place])
    }
  }

  /// Files that this run moved.
  var movedCount: Int { state.withLock { $0.moved.count } }
}
