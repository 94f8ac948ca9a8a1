import Glibc

/// Everything that an upload can fail with. Payloads are facts, never sentences.
package enum UploadError: Error, Equatable {
  /// There is no such upload, it is another owner's, or its memory is over.
  case notFound
  /// It was not finished in its time.
  case expired
  /// It would be longer than any photo may be; both in bytes.
  case tooLarge(limit: Int, actual: Int)
  /// Bytes came for another place than where it goes on.
  case wrongOffset(expected: Int)
  /// More bytes came than its length says.
  case pastLength
  /// The file was said to have so many bytes before, and another number now.
  case otherLength(expected: Int)
  /// The client has as many open as it may; one of them gives up its place after so many
  /// seconds.
  case tooManyOpen(seconds: Int)
  /// The machine has as many open as it may.
  case busy
  /// All its bytes are here and are being looked at, or another process writes it.
  case inUse
  /// A newer request for the same upload took this one's place.
  case cut
  /// The disk, quota or inode table is full.
  case storageFull
  /// Another system call failed.
  case failed(operation: String, errno: Int32)

  /// A failed system call: a full disk, quota or inode table is distinguished from the rest.
  package init(_ operation: String, errno code: Int32) {
    self =
      [ENOSPC, EDQUOT, EFBIG].contains(code)
      ? .storageFull : .failed(operation: operation, errno: code)
  }
}
