public import Foundation

/// Why an announcement could not be created, read or changed; the values are facts, never
/// sentences.
public enum AnnouncementError: Error, Equatable, Codable {
  /// These fields break a rule, in the order of seed 058.
  case invalid([String])
  /// There is no announcement of this id.
  case notFound(id: String)
  /// The announcement was closed, and its server returns nothing else about it (decision 33).
  case closed(id: String)
  /// An operator took the announcement down, for a reason that visitors don't learn (decision 43);
  /// nil where it isn't known.
  case takenDown(id: String, reason: String?)
  /// The management password is wrong.
  case wrongPassword
  /// Too many wrong passwords; none is looked at before this moment.
  case throttled(until: Date)
  /// The client announced as many bytes of pictures as it may in 30 days; more may follow from this moment
  /// on.
  case spaceUsedUp(until: Date)
  /// Sorting by distance needs the reader's position.
  case locationRequired
  /// The announcement has no photo that can be sent.
  case missingPhoto
  /// Another open announcement has this microchip number.
  case duplicateMicrochip
  /// An announcement was made under this key already, and it says something else.
  case idempotencyMismatch
  /// An announcement was made under this key already, by another client or more than a day ago, or it
  /// was erased since.
  case keyTaken
  /// The server could not be reached or failed; what it was, in English, with its address. A store on
  /// this machine says itself what failed.
  case unavailable(String)
}
