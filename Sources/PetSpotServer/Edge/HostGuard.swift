import Foundation
import HTTPTypes
import HummingbirdCore
import PhotoUploads

/// The check of the host name in each request. If a browser reaches a server on this machine by an unknown name, a
/// stranger's DNS has led it here (DNS rebinding).
struct HostGuard: Sendable {
  /// The names that are accepted. `nil` accepts all names.
  let names: Set<String>?

  init(_ configuration: ServerConfiguration) {
    let local: Set = ["localhost", "127.0.0.1", "[::1]"]
    var names: Set<String>? = configuration.isLoopback ? local : nil
    // Another name for this address may belong to a stranger, so accept only the address itself.
    if configuration.librarySecret != nil { names = ["127.0.0.1"] }
    if let host = configuration.baseURL?.host() {
      names = local.union([Self.bracketed(host.lowercased())])
    }
    self.names = names
  }

  private static func bracketed(_ host: String) -> String {
    host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
  }

  /// Checks the host of a request.
  ///
  /// - Throws: 400 if a request has no host or more than one, 421 if the host isn't accepted.
  func check(_ request: Request) throws(ErrorResponse) {
    let bad = ErrorResponse(.invalidHost, "The request has to name one host.")
    // A second `Host` stays among the fields.
    guard request.headers[.init("Host") ?? .expect] == nil || request.head.authority == nil,
      let authority = request.head.authority, let name = Self.name(of: authority)
    else { throw bad }
    if let path = request.head.path, !path.hasPrefix("/"), path != "*" {
      guard let url = URL(string: path), let host = url.host(),
        Self.bracketed(host.lowercased()) == name
      else { throw bad }
    }
    guard names?.contains(name) ?? true else {
      throw ErrorResponse(
        .misdirected,
        "This server doesn't answer for that host. Check the address; its operator sets the host "
          + "with --base-url.")
    }
  }

  /// Returns the name of `name:port`, in lower case. `nil` if the text isn't valid.
  static func name(of authority: String) -> String? {
    // Parses by hand because a regular expression is built anew each time, which takes a tenth of a small request's
    // time.
    let bytes = Array(authority.utf8)
    let end: Int
    if bytes.first == UInt8(ascii: "[") {
      guard let close = bytes.firstIndex(of: UInt8(ascii: "]")), (3...46).contains(close),
        bytes[1..<close].allSatisfy({ ":.0123456789abcdefABCDEF".utf8.contains($0) })
      else { return nil }
      end = close + 1
    } else {
      end = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.count
      guard (1...253).contains(end), bytes[..<end].allSatisfy(isInName) else { return nil }
    }
    let port = bytes[end...]
    guard port.isEmpty || (port.first == UInt8(ascii: ":") && (2...6).contains(port.count)),
      port.dropFirst().allSatisfy(\.isDigit)
    else { return nil }
    return String(decoding: bytes[..<end], as: UTF8.self).lowercased()
  }

  private static func isInName(_ byte: UInt8) -> Bool {
    byte.isLetterOrDigit || "._-".utf8.contains(byte)
  }
}
