import Glibc
import PhotoIngestion

extension StoreError {
  /// Converts any error to a `StoreError`.
  package init(_ error: any Error) {
    switch error {
    case let error as StoreError: self = error
    case let error as PhotoError: self.init(error)
    case is CancellationError: self = .cancelled
    case UploadError.storageFull: self.init(operation: "write", path: "uploads", errno: ENOSPC)
    case UploadError.failed(let operation, let code):
      self.init(operation: operation, path: "uploads", errno: code)
    default: self = .fault(.unexpected)
    }
  }

  /// Runs a closure and converts its errors to `StoreError`.
  package static func catching<T: ~Copyable>(
    _ work: () throws -> T
  ) throws(StoreError) -> T {
    do { return try work() } catch { throw StoreError(error) }
  }

  /// Returns the error for records that belong to pictures at another location, which is `place`.
  package static func otherBlobs(at place: String) -> StoreError {
    .database(.otherBlobs, detail: place)
  }

  /// Creates the error for a failed system call in the cache folder. A full disk, quota or inode table, or a limit on
  /// file sizes, becomes `storageFull`. Running out of a resource of the machine or a limit of the process becomes
  /// `shortage`.
  package init(operation: String, path: String, errno code: Int32) {
    switch code {
    case ENOSPC, EDQUOT, EFBIG: self = .storageFull(operation: operation, path: path, errno: code)
    default:
      self =
        PhotoError(shortage: code).map(StoreError.photo)
        ?? .storage(operation: operation, path: path, errno: code)
    }
  }

  /// The `errno` of a failed system call. `nil` for other errors.
  package var systemErrno: Int32? {
    switch self {
    case .storage(_, _, let code), .storageFull(_, _, let code), .cacheUnavailable(_, let code),
      .photo(.shortage(let code)):
      code
    default: nil
    }
  }
}
