/// What a file under a picture's name is.
package enum StoredFile: Sendable, Equatable {
  case missing
  /// Reading it failed with this `errno`.
  case unreadable(errno: Int32)
  /// The store answers that it cannot give it, so nothing is known of it.
  case unavailable
  /// Its bytes are not those its name tells.
  case other(sha256: String, sizeBytes: Int)
  /// Its bytes are those its name tells, and walk as a picture of this size.
  case sound(sizeBytes: Int, width: Int, height: Int, frames: Int)
  /// Its bytes are those its name tells, but they should never have been stored.
  case unsound(StoreProblem)
}
