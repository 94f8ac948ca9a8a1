import GRDB
import GRDBSQLite
import Glibc
import PhotoAttachments

extension StoreError {
  /// Converts an error of SQLite or of the catalog.
  ///
  /// - Parameter code: the connection's `systemErrno`, or 0 if it isn't known.
  init(catalog error: any Error, path: String, busySeconds: Int, errno code: Int32 = 0) {
    if let error = error as? StoreError {
      self = error
      return
    }
    if error is DecodingError || error is RowDecodingError {
      // A row has contents that this program never writes.
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
      let operation = CatalogErrorCause.operation(error.extendedResultCode)
      self = StoreError(
        operation: operation, path: path,
        errno: code != 0 ? code : operation == "write" ? CatalogErrorCause.writing : EIO)
    case .SQLITE_READONLY:
      let cause = CatalogErrorCause.cause(of: path) ?? EROFS
      self = StoreError(operation: "write", path: path, errno: cause)
    case .SQLITE_CANTOPEN, .SQLITE_PERM:
      // SQLite retries with a read-only open, so its errno may be that of the second attempt.
      let cause = CatalogErrorCause.cause(of: path) ?? (code == 0 || code == ENOENT ? EIO : code)
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

/// Finds causes that SQLite doesn't report.
private enum CatalogErrorCause {
  /// Returns the errno that explains why a file can't be opened or created, or `nil` if there is no obstacle any more.
  /// The catalog itself is not opened, because closing it would release this process's locks on it.
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

  /// The likely errno of a failed write for which SQLite has none: if this process has a small limit on file sizes, the
  /// file would grow too large.
  static var writing: Int32 {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    return limit.rlim_cur < 1 << 40 ? EFBIG : EIO
  }

  /// Returns the name of the failed operation.
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
  /// The errno of this connection's last failure to open, read, write or sync a file, or 0 if it never failed.
  var systemErrno: Int32 { sqlite3_system_errno(sqliteConnection) }
}
