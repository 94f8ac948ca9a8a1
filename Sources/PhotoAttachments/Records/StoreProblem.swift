/// What can be wrong with a stored photo.
public enum StoreProblem: String, Sendable, Equatable, CaseIterable {
  /// There is no such file.
  case missing
  /// The file has another size than recorded.
  case size
  /// The bytes are not those recorded.
  case digest
  /// The bytes are those of another picture on record.
  case swapped
  /// The file cannot be read.
  case unreadable
  /// The store of objects answers that it cannot give it: it may be whole.
  case unavailable
  /// The container breaks a rule of its format, although the bytes are those recorded.
  case structure
  /// Not each of its bytes can be accounted for as picture, although they are those recorded.
  case metadata
  /// The record was altered: it does not fit its seal, or it says something else of a file (such as
  /// a size) than the file shows, although the file's digest is right.
  case record
  /// The record points at something that is not there.
  case reference
}

/// What a file under a picture's name is.
package enum StoredFile: Sendable, Equatable {
  case missing
  /// Reading it failed with this `errno`.
  case unreadable(errno: Int32)
  /// The store answers that it cannot give it, so nothing is known of it.
  case unavailable
  /// Its bytes are not those its name says.
  case other(sha256: String, sizeBytes: Int)
  /// Its bytes are those its name says, and walk as a picture of this size.
  case sound(sizeBytes: Int, width: Int, height: Int, frames: Int)
  /// Its bytes are those its name says, but they should never have been stored.
  case unsound(StoreProblem)
}
