import Synchronization

/// Pictures that the store could not give in this run, and what it answered. Each is asked for once: the
/// second look holds the catalog, and an answer may take seconds.
final class UnavailablePictures: Sendable {
  /// More without a single picture in between mean that the store is down.
  private static let most = 64

  private struct State {
    var answers: [BlobPath: String] = [:]
    var inARow = 0
  }

  private let state = Mutex(State())

  /// Notes what the store answered.
  ///
  /// - Throws: errors that are not about one picture, and any once there are too many in a row.
  func add(_ place: BlobPath, _ error: StoreError) throws(StoreError) {
    guard case .serviceFailed(_, let answer) = error else { throw error }
    let inARow = state.withLock { state in
      state.answers[place] = answer
      state.inARow += 1
      return state.inARow
    }
    if inARow > Self.most { throw error }
  }

  /// Notes that the store gave a picture.
  func remove(_ place: BlobPath) {
    state.withLock { state in
      state.answers[place] = nil
      state.inARow = 0
    }
  }

  /// What the store answered; nil for a picture that it gave.
  func answer(for place: BlobPath) -> String? { state.withLock { $0.answers[place] } }
}
