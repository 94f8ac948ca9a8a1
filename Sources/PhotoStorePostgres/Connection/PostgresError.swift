import Glibc
import PhotoAttachments

/// What a server, or the way to it, answered instead of doing something.
struct PostgresError: Error, Equatable {
  /// SQLSTATE (PostgreSQL documentation, appendix A); one of class 08 when no server answered.
  var code: String
  /// The server's own words.
  var message: String
  /// Whether the connection is of no use any more.
  var isLost = false

  /// Whether the same transaction may succeed when it is tried again from its beginning: two transactions waited for
  /// each other, or the connection broke before anything was promised.
  var isWorthAnotherTry: Bool { isBroken || ["40001", "40P01"].contains(code) }

  /// Whether a connection broke that had been made. For one that can't be made the pool has waited already.
  var isBroken: Bool { isLost && code != "08001" }
}

extension StoreError {
  /// What a failed use of a database means.
  ///
  /// - Parameters:
  ///   - shown: the database's address without secrets.
  ///   - timeout: seconds that were waited for others.
  init(postgres error: any Error, at shown: String, timeout: Int) {
    if let error = error as? StoreError {
      self = error
      return
    }
    guard let error = error as? PostgresError else {
      self = .database(.failed, detail: "PostgreSQL at \(shown): \(error)")
      return
    }
    let words = error.message.split(separator: "\n").first.map(String.init) ?? error.code
    let detail = "PostgreSQL at \(shown): \(words)"
    switch error.code {
    // A lock or a statement took too long, or the server has no connection left.
    case "55P03", "57014", "40001", "40P01", "53300":
      self = .busy(seconds: timeout, service: "PostgreSQL at \(shown)")
    case "53100":
      self = .storageFull(operation: "write", path: "PostgreSQL at \(shown)", errno: ENOSPC)
    case "XX001", "XX002": self = .database(.damaged, detail: detail)
    // It runs, and doesn't let us in, or has no such database.
    case _ where error.code.hasPrefix("28") || error.code == "3D000":
      self = .serviceFailed(service: "PostgreSQL at \(shown)", detail: words)
    case _ where error.isLost || error.code.hasPrefix("08") || error.code.hasPrefix("57P"):
      self = .unreachable(service: "PostgreSQL at \(shown)", detail: words)
    default: self = .database(.failed, detail: detail)
    }
  }
}
