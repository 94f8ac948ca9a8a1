import Glibc
import PhotoAttachments

/// An error of the server or of the connection to it.
struct PostgresError: Error, Equatable {
  /// The SQLSTATE (PostgreSQL documentation, appendix A). Class 08 means that the server didn't respond.
  var code: String
  /// The server's message.
  var message: String
  /// `true` if the connection can't be used any more.
  var isLost = false

  /// `true` if a retry of the whole transaction may succeed, because it ended in a deadlock or the connection broke
  /// before the commit.
  var isWorthAnotherTry: Bool { isBroken || ["40001", "40P01"].contains(code) }

  /// `true` if an established connection broke. A failed attempt to connect doesn't count because the pool has already
  /// retried it.
  var isBroken: Bool { isLost && code != "08001" }
}

extension StoreError {
  /// Converts an error of a database.
  ///
  /// - Parameters:
  ///   - shown: the database's address without secrets.
  ///   - timeout: the number of seconds that the call waited for others.
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
    // A lock or a statement took too long, or the server has no free connection.
    case "55P03", "57014", "40001", "40P01", "53300":
      self = .busy(seconds: timeout, service: "PostgreSQL at \(shown)")
    case "53100":
      self = .storageFull(operation: "write", path: "PostgreSQL at \(shown)", errno: ENOSPC)
    case "XX001", "XX002": self = .database(.damaged, detail: detail)
    // The server is running but rejects the login or has no such database.
    case _ where error.code.hasPrefix("28") || error.code == "3D000":
      self = .serviceFailed(
        service: "PostgreSQL at \(shown)", detail: words,
        problem: error.code == "3D000" ? .missingDatabase : .accessDenied)
    case _ where error.isLost || error.code.hasPrefix("08") || error.code.hasPrefix("57P"):
      self = .unreachable(service: "PostgreSQL at \(shown)", detail: words)
    default: self = .database(.failed, detail: detail)
    }
  }
}
