package import Announcements
import Dispatch
package import Foundation
import Synchronization

/// Where management passwords wait for scrypt: a tenth of a second and 32 MiB each, so one at a time,
/// never on Swift's own threads, and not more in line than can be served while somebody waits.
package final class PasswordLine: Sendable {
  /// How many may be in the line, the one at work among them.
  package static let longest = 32

  private let queue = DispatchQueue(label: "petspot.management-password")
  private let verified: VerifiedPasswords
  private let cost: Int
  private let length = Mutex(0)

  /// An empty line, which hashes at `cost`.
  package init(cost: Int, now: @escaping @Sendable () -> Date) {
    self.cost = cost
    verified = VerifiedPasswords(now: now)
  }

  /// Takes a place in the line; whoever has one gives it back with `leave`.
  ///
  /// - Throws: `crowded` when there is none.
  package func enter() throws(AnnouncementError) {
    let isEntered = length.withLock { length in
      guard length < Self.longest else { return false }
      length += 1
      return true
    }
    guard isEntered else { throw .crowded }
  }

  /// Gives a place back.
  package func leave() { length.withLock { $0 -= 1 } }

  /// Whether the password was found to be the one of `hash` a short time ago, which costs nothing.
  package func knows(_ password: String, of hash: String) -> Bool {
    verified.knows(password, of: hash)
  }

  /// The hash of a new password, when it is its turn; for those who have a place.
  package func hash(_ password: String) async throws -> String {
    let hash = try await inTurn { [cost] in try ManagementPassword.hash(password, cost: cost) }
    verified.remember(password, of: hash)
    return hash
  }

  /// Whether the password is the one of `hash`, when it is its turn; for those who have a place.
  package func verify(_ password: String, against hash: String) async throws -> Bool {
    try await inTurn { [verified] in
      // Others with the same password may have been before us.
      if verified.knows(password, of: hash) { return true }
      guard try ManagementPassword.verify(password, against: hash) else { return false }
      verified.remember(password, of: hash)
      return true
    }
  }

  private func inTurn<Value: Sendable>(
    _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Result(catching: work)) }
    }
  }
}
