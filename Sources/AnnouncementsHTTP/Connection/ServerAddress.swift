import Foundation
import HTTPClient

/// The address of a server: `https://pets.example.org`, or with a path, `https://example.org/pets`.
public struct ServerAddress: Sendable, Equatable, CustomStringConvertible {
  /// The address without a trailing slash.
  public let description: String
  private let origin: String
  /// `true` if the traffic is encrypted with TLS or stays on this machine.
  public let isPrivate: Bool

  /// Parses an address. Returns `nil` if it has no host or isn't `http` or `https`. It may have no user name, password,
  /// query or fragment either, because an address must not contain secrets.
  public init?(_ text: String) {
    guard var parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(),
      ["http", "https"].contains(scheme), let host = parts.host?.lowercased(), !host.isEmpty,
      parts.user == nil, parts.password == nil, parts.query == nil, parts.fragment == nil
    else { return nil }
    parts.scheme = scheme
    while parts.path.hasSuffix("/") { parts.path.removeLast() }
    guard let whole = parts.string, parts.url != nil else { return nil }
    parts.path = ""
    guard let origin = parts.string else { return nil }
    description = whole
    self.origin = origin
    isPrivate = scheme == "https" || LoopbackHost.contains(host)
  }

  /// Returns the URL of a path that begins with a slash.
  func url(_ path: String) throws -> URL {
    guard let url = URL(string: description + path) else { throw URLError(.badURL) }
    return url
  }

  /// Resolves the `Location` of a response to a URL on this server. Only path and query are used, for two reasons:
  /// credentials must not go to another server, and a server behind a tunnel doesn't know its public name.
  ///
  /// - Parameter location: the header field, absolute or relative (RFC 9110, 10.2.2).
  /// - Returns: `nil` if the field isn't a valid address.
  func url(location: String, of request: URL) -> URL? {
    guard let led = URL(string: location, relativeTo: request),
      let parts = URLComponents(url: led, resolvingAgainstBaseURL: true),
      parts.percentEncodedPath.hasPrefix("/")
    else { return nil }
    let query = parts.percentEncodedQuery.map { "?" + $0 } ?? ""
    return URL(string: origin + parts.percentEncodedPath + query)
  }
}
