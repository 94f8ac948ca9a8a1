package import Announcements
import Dispatch
package import Foundation
import Synchronization

/// The queue of management passwords before scrypt: a tenth of a second and 32 MiB each, so one at a
/// time, never on Swift's own threads, and not more in the queue than can be served while a person waits.
///
/// Clients share it: one has at most a quarter of the places, and its guesses at most half of those, so
/// that announcements can be made beside them.
package final class PasswordQueue: Sendable {
  /// How many places there are, that of the password at work among them.
  package static let maxPlaces = 32
  /// How many of them one client may have.
  package static let maxPlacesOfClient = maxPlaces / 4

  /// What a password holds from `enter` to `leave`.
  package struct Place: Sendable {
    fileprivate let client: String?
    fileprivate let isGuess: Bool
  }

  private struct Taken {
    var all = 0
    var byClient: [String: (all: Int, guesses: Int)] = [:]
  }

  private let queue = DispatchQueue(label: "petspot.management-password")
  private let verified: VerifiedPasswords
  private let cost: Int
  private let now: @Sendable () -> Date
  private let taken = Mutex(Taken())

  /// An empty queue, which hashes at `cost`.
  package init(cost: Int, now: @escaping @Sendable () -> Date) {
    (self.cost, self.now) = (cost, now)
    verified = VerifiedPasswords(now: now)
  }

  /// Takes a place in the queue, which is given back with `leave`.
  ///
  /// - Parameters:
  ///   - client: whose password it is; nil for one that no client sent.
  ///   - isGuess: whether the password may be wrong.
  /// - Throws: `crowded` when there is no place, `throttled` when the client has its share.
  package func enter(_ client: String?, isGuess: Bool) throws(AnnouncementError) -> Place {
    let refusal = taken.withLock { taken -> AnnouncementError? in
      var share = client.flatMap { taken.byClient[$0] } ?? (0, 0)
      guard taken.all < Self.maxPlaces else { return .crowded }
      if client != nil,
        share.all >= Self.maxPlacesOfClient
          || isGuess && share.guesses >= Self.maxPlacesOfClient / 2
      {
        return .throttled(until: now().addingTimeInterval(1))
      }
      taken.all += 1
      share.all += 1
      if isGuess { share.guesses += 1 }
      if let client { taken.byClient[client] = share }
      return nil
    }
    if let refusal { throw refusal }
    return Place(client: client, isGuess: isGuess)
  }

  /// Gives a place back, once.
  package func leave(_ place: Place) {
    taken.withLock { taken in
      taken.all -= 1
      guard let client = place.client, var share = taken.byClient[client] else { return }
      share.all -= 1
      if place.isGuess { share.guesses -= 1 }
      taken.byClient[client] = share.all > 0 ? share : nil
    }
  }

  /// Whether the password was found to be the one of `hash` a short time ago, which costs nothing.
  package func knows(_ password: String, of hash: String) -> Bool {
    verified.knows(password, of: hash)
  }

  /// The hash of a new password, when it is its turn; for one that has a place.
  package func hash(_ password: String) async throws -> String {
    let hash = try await inTurn { [cost] in try ManagementPassword.hash(password, cost: cost) }
    verified.remember(password, of: hash)
    return hash
  }

  /// Whether the password is the one of `hash`, when it is its turn; for one that has a place.
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
