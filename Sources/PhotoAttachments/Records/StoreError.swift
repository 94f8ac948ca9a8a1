import Glibc
public import PhotoIngestion
import SystemPackage

/// Every error of storing photos. The values are facts, never sentences, which are made in the
/// reader's language where they are shown.
public enum StoreError: Error, Sendable, Equatable {
  /// The photo, or what works on it, is at fault; nothing was stored.
  case photo(PhotoError)
  /// There is no such photo, or no photo at all.
  case missingPhoto
  /// The disk, quota or inode table is full, or a file would grow beyond a limit of this process.
  case storageFull(operation: String, path: String, errno: Int32)
  /// The cache folder cannot be made or used at all.
  case cacheUnavailable(path: String, errno: Int32)
  /// Somebody else could put files into the cache; nothing in it was touched.
  case unsafeCache(path: String, reason: Distrust)
  /// Another input/output failure in the cache folder.
  case storage(operation: String, path: String, errno: Int32)
  /// The catalog cannot be used; `what` is a stable word (`other-version`, `damaged`,
  /// `altered-record`, `other-blobs`, `failed`, `closed`).
  case database(what: String, detail: String)
  /// Another process holds the catalog longer than we wait; `service` says which server keeps it, with
  /// its address and without secrets, nil for the cache folder.
  case busy(seconds: Int, service: String? = nil)
  /// A server that keeps records or pictures does not answer; `service` says which, with its address
  /// and without secrets, `detail` why.
  case unreachable(service: String, detail: String)
  /// Such a server asks to be left alone for a while.
  case overloaded(service: String, detail: String)
  /// Such a server answers that it cannot or will not.
  case serviceFailed(service: String, detail: String)
  /// The person or the system asked us to stop.
  case cancelled
  /// A later attempt at the same draft took this one's place; the word is that one's.
  case superseded
  /// The photo was taken away from the draft while it was on its way.
  case removed

  /// A photo's error; a cancelled photo is a cancelled act.
  public init(_ error: PhotoError) {
    self = error == .cancelled ? .cancelled : .photo(error)
  }

  /// Why a cache is not used.
  public enum Distrust: Sendable, Equatable {
    /// It belongs to the user with this number.
    case owner(user: Int)
    /// Others may write to it, and it holds what is no part of a cache.
    case writableByOthers
    /// The catalog is no regular file but a `symlink`, `fifo`, `socket`, `device`.
    case notAFile(kind: String)
  }

  /// The stable word for JSON and logs.
  public var code: String {
    switch self {
    case .photo(let error): error.code
    case .missingPhoto: "missing-photo"
    case .storageFull: "storage-full"
    case .cacheUnavailable, .storage, .serviceFailed: "storage"
    case .unsafeCache: "unsafe-cache"
    case .database: "database"
    case .busy, .overloaded: "busy"
    case .unreachable: "unreachable"
    case .cancelled, .superseded, .removed: PhotoError.cancelled.code
    }
  }

  /// Whose fault it is; picks exit code and HTTP status.
  public var blame: PhotoError.Blame {
    switch self {
    case .photo(let error): error.blame
    case .missingPhoto, .cancelled, .superseded, .removed: .caller
    case .storageFull, .cacheUnavailable, .unsafeCache, .storage, .database, .busy, .unreachable,
      .overloaded, .serviceFailed:
      .us
    }
  }
}

extension StoreError: CustomStringConvertible {
  /// The code and the facts, for a developer. Sentences for people are made by `message(in:)` of ReportFlow.
  public var description: String {
    switch self {
    case .photo(let error): "\(error)"
    case .missingPhoto, .cancelled: code
    case .storageFull(let operation, let path, let errno),
      .storage(let operation, let path, let errno):
      "\(code): \(operation) \(path): \(Errno(rawValue: errno))"
    case .cacheUnavailable(let path, let errno): "\(code): \(path): \(Errno(rawValue: errno))"
    case .unsafeCache(let path, let reason): "\(code): \(path): \(reason)"
    case .database(let what, let detail): "\(code): \(what): \(detail)"
    case .busy(let seconds, let service): "\(code): \(service ?? "cache") after \(seconds) s"
    case .unreachable(let service, let detail), .overloaded(let service, let detail),
      .serviceFailed(let service, let detail):
      "\(code): \(service): \(detail)"
    case .superseded: "\(code): a later attempt took its place"
    case .removed: "\(code): the photo was removed"
    }
  }
}

extension StoreError {
  /// Work on a photo, with its errors as those of keeping it.
  package static func ofPhoto<T: ~Copyable>(
    _ work: () throws(PhotoError) -> T
  ) throws(StoreError) -> T {
    do { return try work() } catch { throw StoreError(error) }
  }

  /// The records belong to pictures at another address, which is `place`.
  package static func otherBlobs(at place: String) -> StoreError {
    .database(what: "other-blobs", detail: place)
  }

  /// A promise of this library does not hold; `what` is a stable word.
  package static func fault(what: String) -> StoreError { .photo(.fault(what: what)) }

  /// A failed system call in the cache folder: a full disk, quota or inode table is distinguished from the
  /// rest, and so is what the machine or a limit has none left of.
  package init(operation: String, path: String, errno code: Int32) {
    switch code {
    case ENOSPC, EDQUOT, EFBIG: self = .storageFull(operation: operation, path: path, errno: code)
    default:
      self =
        PhotoError(shortage: code).map(StoreError.photo)
        ?? .storage(operation: operation, path: path, errno: code)
    }
  }

  /// The errno of a failed system call, nil for other errors.
  package var systemErrno: Int32? {
    switch self {
    case .storage(_, _, let code), .storageFull(_, _, let code), .cacheUnavailable(_, let code),
      .photo(.shortage(let code)):
      code
    default: nil
    }
  }
}
