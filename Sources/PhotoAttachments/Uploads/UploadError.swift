import Glibc

/// The errors of uploads. Payloads are facts, never sentences.
package enum UploadError: Error, Equatable {
  /// The upload does not exist, belongs to another owner, or is no longer remembered.
  case notFound
  /// The upload was not finished in time.
  case expired
  /// The file is larger than any photo may be. Both numbers are in bytes.
  case tooLarge(limit: Int, actual: Int)
  /// The bytes do not continue at the current offset.
  case wrongOffset(expected: Int)
  /// More bytes arrived than the declared length allows.
  case pastLength
  /// The client declared a different length earlier.
  case otherLength(expected: Int)
  /// The client has reached its limit of open uploads. The first of them stops counting as open in this many seconds.
  case tooManyOpen(seconds: Int)
  /// The server has reached its limit of open uploads.
  case busy
  /// All bytes are here and the photo is being checked, or another process is writing the upload.
  case inUse
  /// A newer request took over this upload.
  case cut
  /// The disk, quota or inode table is full, or the file exceeds a size limit.
  case storageFull
  /// Another system call failed.
  case failed(operation: String, errno: Int32)

  /// Maps the `errno` of a failed system call. A full disk, quota or inode table, or a limit on file sizes, becomes
  /// `storageFull`.
  package init(_ operation: String, errno code: Int32) {
    self =
      [ENOSPC, EDQUOT, EFBIG].contains(code)
      ? .storageFull : .failed(operation: operation, errno: code)
  }
}
