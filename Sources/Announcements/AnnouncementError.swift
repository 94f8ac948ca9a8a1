public import Foundation

/// Why an announcement could not be made, read or changed; payloads are facts, never sentences.
public enum AnnouncementError: Error, Equatable {
  /// These fields break a rule, in the order of seed 058.
  case invalid([String])
  /// There is no announcement of this id.
  case notFound(id: String)
  /// The management password is wrong.
  case wrongPassword
  /// Too many wrong passwords; none is looked at before this moment.
  case throttled(until: Date)
  /// Sorting by distance needs the reader's position.
  case locationRequired
  /// The announcement has no photo that can be sent.
  case missingPhoto
  /// Another process holds the store longer than we wait; a later try may succeed.
  case busy
  /// The store or the server could not be reached or failed.
  case unavailable(String)
}
