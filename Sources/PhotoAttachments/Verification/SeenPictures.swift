import Synchronization

/// The pictures that a run could not read, with the store's response, and the files that are in quarantine, moved by
/// this run or before it. Each unreadable picture is requested only once, because the second check holds the catalog's
/// lock and a response may take seconds.
final class SeenPictures: Sendable {
  /// The maximum number of consecutive failures. After more, the store counts as unavailable.
  private static let most = 64

  private struct State {
    var answers: [BlobPath: String] = [:]
    var inARow = 0
    var earlier: [BlobPath: String] = [:]
    var moved: [BlobPath: (problem: StoreProblem, path: String)] = [:]
  }

  private let state = Mutex(State())

  /// Starts a run with the files that are already in quarantine.
  func reset(earlier files: [BlobPath]) {
    let earlier = Dictionary(files.map { ($0.origin, $0.relativePath) }) { $1 }
    state.withLock { $0 = State(earlier: earlier) }
  }

  /// Records the store's response for a picture that it could not provide.
  ///
  /// - Throws: errors that don't concern one picture, and any error after too many in a row.
  func refuse(_ place: BlobPath, _ error: StoreError) throws(StoreError) {
    guard case .serviceFailed(_, let answer, _) = error else { throw error }
    let inARow = state.withLock { state in
      state.answers[place] = answer
      state.inARow += 1
      return state.inARow
    }
    if inARow > Self.most { throw error }
  }

  /// Records that the store provided a picture.
  func give(_ place: BlobPath) {
    state.withLock { state in
      state.answers[place] = nil
      state.inARow = 0
    }
  }

  /// Returns the store's response for a picture that it could not provide. `nil` for any other picture.
  func answer(for place: BlobPath) -> String? { state.withLock { $0.answers[place] } }

  /// Records that this run moved a file to quarantine.
  func move(_ place: BlobPath, _ problem: StoreProblem, _ path: String) {
    state.withLock { $0.moved[place] = (problem, path) }
  }

  /// Returns the reason why this run moved the file at a place, and the path of the quarantined file, moved now or
  /// earlier. Several photos may share the file.
  func moved(from place: BlobPath) -> (problem: StoreProblem?, path: String?) {
    state.withLock { state in
      let moved = state.moved[place]
      return (moved?.problem, moved?.path ?? state.earlier[place])
    }
  }

  /// The number of files that this run moved to quarantine.
  var movedCount: Int { state.withLock { $0.moved.count } }
}
