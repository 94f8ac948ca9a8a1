/// The problems that a stored photo can have.
public enum StoreProblem: String, Sendable, Equatable, CaseIterable {
  /// The file does not exist.
  case missing
  /// The file's size differs from the record.
  case size
  /// The bytes don't match the recorded digest.
  case digest
  /// The bytes are those of another recorded picture.
  case swapped
  /// The file cannot be read.
  case unreadable
  /// The object store cannot provide the object, which may still be intact.
  case unavailable
  /// The container violates its format, although the bytes match the digest.
  case structure
  /// Some bytes are not accounted for as picture data, although they match the digest.
  case metadata
  /// The record was altered. Either it doesn't match its seal, or a value such as the size differs from a file whose
  /// digest is correct.
  case record
  /// The record refers to something that doesn't exist.
  case reference
}

/// The result of checking the file under a picture's name.
package enum StoredFile: Sendable, Equatable {
  case missing
  /// Reading the file failed with this `errno`.
  case unreadable(errno: Int32)
  /// The object store cannot provide the object, so its condition is unknown.
  case unavailable
  /// The bytes don't match the digest in the name.
  case other(sha256: String, sizeBytes: Int)
  /// The bytes match the digest in the name and parse as a picture of this size.
  case sound(sizeBytes: Int, width: Int, height: Int, frames: Int)
  /// The bytes match the digest in the name, but should never have been stored.
  case unsound(StoreProblem)
}
