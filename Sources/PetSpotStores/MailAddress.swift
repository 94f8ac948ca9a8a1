import Foundation
import HTTPClient
package import ReportFlow

extension Stores {
  /// Whether a text has the form of a mail server's address.
  package static func isMailAddress(_ text: String) -> Bool {
    MailServer(text, password: nil) != nil
  }

  /// A mail server, with the password in the first line of a file, else in `PETSPOT_MAIL_PASSWORD`.
  ///
  /// - Throws: when the file can't be read.
  package static func mailer(_ text: String, passwordFile: String?) throws -> Mailer? {
    let password =
      try passwordFile.map { path in
        let text = try String(contentsOfFile: path, encoding: .utf8)
        return text.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
      } ?? named(by: "PETSPOT_MAIL_PASSWORD")
    return MailServer(text, password: password).map { server in
      Mailer(from: server.from) { message, address in
        do throws(MailServer.Failure) {
          try server.send(message, to: address)
          return .sent
        } catch {
          let words = "\(server.shown): \(error.words)"
          return error.isLasting ? .refused(words) : .failed(words)
        }
      }
    }
  }
}
