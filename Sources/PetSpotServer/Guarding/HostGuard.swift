import Foundation
import HTTPTypes
import Hummingbird

/// Which names a request may call us by: whoever reaches a server on this machine by another name was
/// led here by a stranger's DNS.
struct HostGuard: Sendable {
  /// Nil takes every name.
  let names: Set<String>?

  init(_ configuration: ServerConfiguration) {
    let local: Set = ["localhost", "127.0.0.1", "[::1]"]
    var names: Set<String>? = configuration.isLoopback ? local : nil
    if let host = configuration.baseURL?.host() {
      names = local.union([Self.bracketed(host.lowercased())])
    }
    self.names = names
  }

  private static func bracketed(_ host: String) -> String {
    host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
  }

  /// - Throws: 400 when a request names no host, or more than one; 421 for another's.
  func check(_ request: Request) throws(ErrorAnswer) {
    let bad = ErrorAnswer(.badRequest, "INVALID_HOST", "The request has to name one host.")
    // A second Host stays among the fields.
    guard request.headers[.init("Host") ?? .expect] == nil || request.head.authority == nil,
      let authority = request.head.authority, let name = Self.name(of: authority)
    else { throw bad }
    if let path = request.head.path, !path.hasPrefix("/"), path != "*" {
      guard let url = URL(string: path), let host = url.host(),
        Self.bracketed(host.lowercased()) == name
      else { throw bad }
    }
    guard names?.contains(name) ?? true else {
      throw ErrorAnswer(.misdirectedRequest, "MISDIRECTED", "This server has another name.")
    }
  }

  /// The name of `name:port`, in lower case; nil when it is none.
  static func name(of authority: String) -> String? {
    let pattern = /(\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9._\-]{1,253})(:[0-9]{1,5})?/
    guard let match = authority.wholeMatch(of: pattern) else { return nil }
    return match.1.lowercased()
  }
}
