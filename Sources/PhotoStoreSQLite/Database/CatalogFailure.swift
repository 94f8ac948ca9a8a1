import GRDB
import GRDBSQLite
import Glibc
import PhotoAttachments

extension StoreError {
  /// What a failed use of the catalog means.
  ///
  /// - Parameter code: the connection's `systemErrno`, 0 when it is not known.
  init(catalog error: any Error, path: String, busySeconds: Int, errno code: Int32 = 0) {
    if let error = error as? StoreError {
      self = error
      return
    }
    if error is DecodingError || error is RowDecodingError {
      // A row that says what we never write.
      self = .database(.alteredRecord, detail: "\(error)")
      return
    }
    guard let error = error as? DatabaseError else {
      self = .database(.failed, detail: "\(error)")
      return
    }
    let detail = error.message ?? "\(error.extendedResultCode)"
    switch error.resultCode {
    case .SQLITE_BUSY, .SQLITE_LOCKED: self = .busy(seconds: busySeconds)
    case .SQLITE_FULL:
      self = .storageFull(operation: "write", path: path, errno: code == EDQUOT ? code : ENOSPC)
    case .SQLITE_NOMEM: self = .storage(operation: "read", path: path, errno: ENOMEM)
    case .SQLITE_IOERR:
      let operation = CatalogFailure.operation(error.extendedResultCode)
      self = StoreError(
        operation: operation, path: path,
        errno: code != 0 ? code : operation == "write" ? CatalogFailure.writing : EIO)
    case .SQLITE_READONLY:
      let cause = CatalogFailure.cause(of: path) ?? EROFS
      self = StoreError(operation: "write", path: path, errno: cause)
    case .SQLITE_CANTOPEN, .SQLITE_PERM:
      // SQLite tries again for reading only, so its errno may be that of the second try.
      let cause = CatalogFailure.cause(of: path) ?? (code == 0 || code == ENOENT ? EIO : code)
      switch cause {
      case EACCES, EPERM, EROFS, EISDIR, ENOTDIR, ELOOP:
        self = .cacheUnavailable(path: path, errno: cause)
      default: self = StoreError(operation: "open", path: path, errno: cause)
      }
    case .SQLITE_CORRUPT, .SQLITE_NOTADB: self = .database(.damaged, detail: detail)
    default: self = .database(.failed, detail: detail)
    }
  }
}

/// Finds out what SQLite does not say.
private enum CatalogFailure {
  /// Why a file cannot be opened or a new one made beside it, nil when nothing stands in the way now.
  /// The catalog itself is not opened: closing it would let go of this process' locks on it.
  static func cause(of path: String) -> Int32? {
    var status = stat()
    if lstat(path, &status) == 0 {
      if status.st_mode & S_IFMT == S_IFDIR { return EISDIR }
      if access(path, R_OK | W_OK) != 0 { return errno }
    } else if errno != ENOENT {
      return errno
    }
    let probe = path + "-probe-" + ProcessIdentity.current.signature
    let file = open(probe, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { return errno }
    close(file)
    unlink(probe)
    return nil
  }

  /// Why a file cannot be written when SQLite has forgotten it: where this process may write small files
  /// only, they would grow too large.
  static var writing: Int32 {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    return limit.rlim_cur < 1 << 40 ? EFBIG : EIO
  }

  /// What failed, in a word.
  static func operation(_ code: ResultCode) -> String {
    switch code {
    case .SQLITE_IOERR_FSYNC, .SQLITE_IOERR_DIR_FSYNC: "fsync"
    case .SQLITE_IOERR_READ, .SQLITE_IOERR_SHORT_READ: "read"
    case .SQLITE_IOERR_WRITE: "write"
    case .SQLITE_IOERR_TRUNCATE: "truncate"
    case .SQLITE_IOERR_DELETE: "unlink"
    case .SQLITE_IOERR_LOCK, .SQLITE_IOERR_UNLOCK, .SQLITE_IOERR_RDLOCK,
      .SQLITE_IOERR_CHECKRESERVEDLOCK:
      "lock"
    case .SQLITE_IOERR_FSTAT, .SQLITE_IOERR_ACCESS: "stat"
    default: "access"
    }
  }
}

extension Database {
  /// What the system said when this connection last failed to open, read, write or sync a file; 0
  /// when it never did.
  var systemErrno: Int32 { sqlite3_system_errno(sqliteConnection) }
}
