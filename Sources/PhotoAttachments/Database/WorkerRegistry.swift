import Synchronization

/// Who works on attempts, this process and others.
package protocol WorkerRegistry: Sendable {
  /// Makes sure that this process counts as alive; called before an attempt is recorded.
  func start() throws(StoreError)
  /// This process, in the records of attempts.
  func worker() throws(StoreError) -> String
  /// Names the records among all that this process uses.
  var place: String { get }
  /// Whether that is this process.
  func isThisProcess(_ worker: String) -> Bool
  /// Whether another process lives.
  ///
  /// - Parameter isSeen: whether the database says so (`Dialect.isSeen`).
  func isAlive(_ worker: String, isSeen: Bool) -> Bool
}

extension WorkerRegistry {
  /// Whether an attempt is still worked on.
  package func isAlive(_ ticket: Int64?, of worker: String?, isSeen: Bool) -> Bool {
    guard let ticket, let worker else { return false }
    return isThisProcess(worker)
      ? ActiveAttempts.contains(ticket, in: place) : isAlive(worker, isSeen: isSeen)
  }
}

/// The attempts that this process works on now, wherever they are recorded. An attempt of this process on record
/// that is not here was left behind, although its process lives on: its outcome could not be recorded.
///
/// This belongs to the process and not to a catalog, because the owner in the record is the process.
package enum ActiveAttempts {
  private struct Attempt: Hashable {
    var place: String
    var ticket: Int64
  }

  private static let attempts = Mutex<Set<Attempt>>([])

  /// Notes that an attempt begins.
  package static func begin(_ ticket: Int64, in place: String) {
    attempts.withLock { _ = $0.insert(Attempt(place: place, ticket: ticket)) }
  }

  /// Notes that an attempt is over, whatever came of it.
  package static func end(_ ticket: Int64, in place: String) {
    attempts.withLock { _ = $0.remove(Attempt(place: place, ticket: ticket)) }
  }

  /// Whether this process works on an attempt.
  static func contains(_ ticket: Int64, in place: String) -> Bool {
    attempts.withLock { $0.contains(Attempt(place: place, ticket: ticket)) }
  }

  /// How many this process works on.
  package static func count(in place: String) -> Int {
    attempts.withLock { $0.count { $0.place == place } }
  }
}
