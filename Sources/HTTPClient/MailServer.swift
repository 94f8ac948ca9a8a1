import CCurl
import Foundation

/// A mail server, `smtp[s]://USER@HOST:PORT?from=ADDRESS`, accessed through the system's libcurl.
package struct MailServer: Sendable {
  /// The sender's address.
  package let from: String
  /// The server's URL without user and password, for libcurl and for messages.
  package let shown: String
  private let user, password: String?
  /// `true` if mail must not be sent without TLS. It is `false` only for a server on this machine.
  private let needsTLS: Bool

  /// A mail that was not sent.
  package struct Failure: Error, Sendable {
    /// `true` if the server permanently rejects this mail.
    package let isPermanent: Bool
    package let words: String
  }

  /// Parses an address. Returns `nil` if it is invalid or has no `from`.
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
    needsTLS = !LoopbackHost.contains(name)
  }

  /// Sends a mail. Blocks for at most 30 seconds.
  package func send(_ message: [UInt8], to address: String) throws(Failure) {
    if let problem = petspot_curl_open() {
      throw Failure(isPermanent: false, words: String(cString: problem))
    }
    guard let curl = petspot_curl_make() else {
      throw Failure(isPermanent: false, words: "out of memory")
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
    // These codes concern the mailbox or the message. Other failures, such as a wrong user or wrong server settings,
    // may be fixed later.
    let permanent = [550, 551, 552, 553, 554, 555]
    throw Failure(isPermanent: permanent.contains(answer.status), words: why)
  }
}
