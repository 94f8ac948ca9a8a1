public import Foundation

/// An error of creating, reading or changing an announcement. The associated values are facts, never sentences.
public enum AnnouncementError: Error, Equatable, Codable {
  /// These fields break a rule, in the order of seed 058.
  case invalid([String])
  /// No announcement has this id.
  case notFound(id: String)
  /// The announcement was closed. A server returns nothing else about it (decision 33).
  case closed(id: String)
  /// An operator took the announcement down. The reason is `nil` if it isn't known, for example because visitors don't
  /// get it (decision 43).
  case takenDown(id: String, reason: String?)
  /// The management password is wrong.
  case wrongPassword
  /// There were too many wrong passwords. No password is checked before this time.
  case throttled(until: Date)
  /// The client has used up the bytes of pictures that it may announce in 30 days. It may announce more from this time
  /// on.
  case spaceUsedUp(until: Date)
  /// The query sorts by distance but has no position.
  case locationRequired
  /// The announcement has no photo that can be sent.
  case missingPhoto
  /// Another open announcement has this microchip number.
  case duplicateMicrochip
  /// This key was used before for an announcement with other contents.
  case idempotencyMismatch
  /// This key was used before, and the client may not repeat it because another client used it, more than a day has
  /// passed, or the announcement has been erased since.
  case keyTaken
  /// The server could not be reached or failed. The value is an English description with the server's address. Local
  /// stores throw errors of their own instead.
  case unavailable(String)
}
