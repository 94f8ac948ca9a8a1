import Synchronization

/// The processes that use a catalog, including this one. A catalog records which process works on an attempt (to attach
/// a photo to a draft) or writes an object, so that the others notice when it has died.
package protocol WorkerRegistry: Sendable {
  /// Makes other processes see this one as alive. Attempts are recorded only after this.
  func start() throws(StoreError)
  /// Returns the name of this process in the records of attempts.
  func worker() throws(StoreError) -> String
  /// A name of the records that is unique in this process.
  var place: String { get }
  /// Returns `true` if this is the name of the current process.
  func isThisProcess(_ worker: String) -> Bool
  /// Returns `true` if another process is alive.
  ///
  /// - Parameter isSeen: `true` if the database shows that it is alive (`Dialect.isSeen`).
  func isAlive(_ worker: String, isSeen: Bool) -> Bool
}

extension WorkerRegistry {
  /// Returns `true` if an attempt is still in progress.
  package func isAlive(_ ticket: Int64?, of worker: String?, isSeen: Bool) -> Bool {
    guard let ticket, let worker else { return false }
    return isThisProcess(worker)
      ? ActiveAttempts.contains(ticket, in: place) : isAlive(worker, isSeen: isSeen)
  }
}

/// The attempts that this process is working on, in all stores. A recorded attempt of this process that isn't among
/// them was abandoned, because its outcome could not be recorded.
///
/// This belongs to the process and not to a catalog, because the owner on record is the process.
package enum ActiveAttempts {
  private struct Attempt: Hashable {
    var place: String
    var ticket: Int64
  }

  private static let attempts = Mutex<Set<Attempt>>([])

  /// Marks an attempt as in progress.
  package static func begin(_ ticket: Int64, in place: String) {
    attempts.withLock { _ = $0.insert(Attempt(place: place, ticket: ticket)) }
  }

  /// Marks an attempt as finished, whatever its outcome.
  package static func end(_ ticket: Int64, in place: String) {
    attempts.withLock { _ = $0.remove(Attempt(place: place, ticket: ticket)) }
  }

  /// Returns `true` if this process is working on an attempt.
  static func contains(_ ticket: Int64, in place: String) -> Bool {
    attempts.withLock { $0.contains(Attempt(place: place, ticket: ticket)) }
  }

  /// Returns the number of attempts that this process is working on.
  package static func count(in place: String) -> Int {
    attempts.withLock { $0.count { $0.place == place } }
  }
}
