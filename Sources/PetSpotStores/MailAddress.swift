import Foundation
import Glibc
import HTTPClient
package import ReportFlow

/// The error if the file with the mail password can't be read or is empty (`errno` 0).
package struct PasswordFileError: LocalizedError {
  let path: String
  let errno: Int32

  /// The problem, and what to do about it.
  package var errorDescription: String? {
    let problem = errno == 0 ? "it is empty" : String(cString: strerror(errno))
    return
      "The mail password can't be read from \(path): \(problem). Name a file whose first line it is "
      + "with --mail-password-file."
  }
}

extension Stores {
  /// Returns `true` if a text has the form of a mail server's address.
  package static func isMailAddress(_ text: String) -> Bool {
    MailServer(text, password: nil) != nil
  }

  /// Returns a mailer for the mail server at an address, or `nil` if `text` isn't such an address. The password is the
  /// first line of a file, or else the value of `PETSPOT_MAIL_PASSWORD`.
  ///
  /// - Throws: `PasswordFileError`.
  package static func mailer(_ text: String, passwordFile: String?) throws -> Mailer? {
    let password =
      try passwordFile.map { path in
        guard let file = fopen(path, "re") else {
          throw PasswordFileError(path: path, errno: errno)
        }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 4096)
        guard fgets(&line, Int32(line.count), file) != nil else {
          throw PasswordFileError(path: path, errno: ferror(file) != 0 ? errno : 0)
        }
        let text = String(
          decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return String(text.prefix { !$0.isNewline })
      } ?? named(by: "PETSPOT_MAIL_PASSWORD")
    return MailServer(text, password: password).map { server in
      Mailer(from: server.from) { message, address in
        do throws(MailServer.Failure) {
          try server.send(message, to: address)
          return .sent
        } catch {
          let words = "\(server.shown): \(error.words)"
          return error.isPermanent ? .refused(words) : .failed(words)
        }
      }
    }
  }
}
