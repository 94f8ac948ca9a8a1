import Foundation
import Glibc
import Synchronization

/// The attempts that this process works on now, in every database. An attempt recorded as ours that is
/// not here was left behind, although its process lives on: its outcome could not be recorded.
///
/// This belongs to the process and not to a catalog, because the owner in the record is the process.
enum LiveAttempts {
  private struct Attempt: Hashable {
    var database: String
    var ticket: Int64
  }

  private static let attempts = Mutex<Set<Attempt>>([])

  /// This process, in the records of attempts.
  static let worker = UUID().uuidString

  /// Notes that an attempt begins in the database with this id.
  static func begin(_ ticket: Int64, in database: String) {
    attempts.withLock { _ = $0.insert(Attempt(database: database, ticket: ticket)) }
  }

  /// Notes that an attempt is over, whatever came of it.
  static func end(_ ticket: Int64, in database: String) {
    attempts.withLock { _ = $0.remove(Attempt(database: database, ticket: ticket)) }
  }

  /// Whether this process works on an attempt.
  static func contains(_ ticket: Int64, in database: String) -> Bool {
    attempts.withLock { $0.contains(Attempt(database: database, ticket: ticket)) }
  }

  /// Whether this process works on any.
  static func areAny(in database: String) -> Bool {
    attempts.withLock { $0.contains { $0.database == database } }
  }
}
