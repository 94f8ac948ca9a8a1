import CCurl
import Foundation

/// A server that takes mails: `smtp[s]://USER@HOST:PORT?from=ADDRESS`, by the system's libcurl.
package struct MailServer: Sendable {
  /// The sender's address.
  package let from: String
  /// Where it is, without user and password.
  package let shown: String
  private let user, password: String?
  /// Whether nothing is sent over a connection without TLS: everywhere but on this machine.
  private let needsTLS: Bool

  /// Why a mail was not sent.
  package struct Failure: Error, Sendable {
    /// Whether the server refuses this mail for good.
    package let isLasting: Bool
    package let words: String
  }

  /// Reads an address; nil for another text, and for one without `from`.
  package init?(_ text: String, password: String?) {
    guard let parts = URLComponents(string: text), let scheme = parts.scheme,
      ["smtp", "smtps"].contains(scheme), let host = parts.host, !host.isEmpty,
      ["", "/"].contains(parts.path), parts.password == nil, parts.fragment == nil,
      parts.queryItems?.count == 1, parts.queryItems?[0].name == "from",
      let from = parts.queryItems?[0].value,
      from.wholeMatch(of: /[!-;=?-~]+@[A-Za-z0-9.\-]+/) != nil
    else { return nil }
    self.from = from
    let port = parts.port.map { ":\($0)" } ?? (scheme == "smtp" ? ":587" : "")
    shown = "\(scheme)://\(host)\(port)"
    user = parts.user
    self.password = password
    let name = host.trimmingCharacters(in: ["[", "]"])
    needsTLS = !(name == "localhost" || name == "::1" || name.hasPrefix("127."))
  }

  /// Sends a mail. Blocks for half a minute at most.
  package func send(_ message: [UInt8], to address: String) throws(Failure) {
    if let problem = petspot_curl_open() {
      throw Failure(isLasting: false, words: String(cString: problem))
    }
    guard let curl = petspot_curl_make() else {
      throw Failure(isLasting: false, words: "out of memory")
    }
    defer { petspot_curl_free(curl) }
    let texts = [shown, user, user == nil ? nil : password ?? "", "<\(from)>", "<\(address)>"]
      .map { $0.flatMap { strdup($0) } }
    defer { for text in texts { free(text) } }
    var answer = petspot_curl_answer()
    message.withUnsafeBytes { bytes in
      var mail = petspot_curl_mail()
      mail.url = UnsafePointer(texts[0])
      mail.user = UnsafePointer(texts[1])
      mail.password = UnsafePointer(texts[2])
      mail.from = UnsafePointer(texts[3])
      mail.to = UnsafePointer(texts[4])
      mail.bytes = bytes.baseAddress
      mail.size = bytes.count
      mail.needs_tls = needsTLS ? 1 : 0
      mail.timeout_ms = 30_000
      petspot_curl_post(curl, &mail, &answer)
    }
    guard answer.code != 0 else { return }
    let why = withUnsafeBytes(of: answer.why) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    // Of a mailbox or a message; what is wrong with our user or the server's settings may be mended.
    let lasting = [550, 551, 552, 553, 554, 555]
    throw Failure(isLasting: lasting.contains(answer.status), words: why)
  }
}
