import Foundation

/// Where a server is: `https://pets.example.org`, or below a path, `https://example.org/pets`.
public struct ServerAddress: Sendable, Equatable, CustomStringConvertible {
  /// The address without a slash at its end.
  public let description: String
  private let origin: String
  /// Whether others on the way cannot read along: TLS, or a server on this machine.
  public let isPrivate: Bool

  /// Nil without `http` or `https` and a host, and for one with a name and password, a query or a
  /// fragment: no secret stands in an address.
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
    (description, self.origin) = (whole, origin)
    isPrivate =
      scheme == "https" || host.hasPrefix("127.") || ["localhost", "::1", "[::1]"].contains(host)
  }

  /// The address of a path that begins with a slash.
  func url(_ path: String) throws -> URL {
    guard let url = URL(string: description + path) else { throw URLError(.badURL) }
    return url
  }

  /// Where an answer to `request` leads, always on this server: credentials go nowhere else, and a
  /// server behind a tunnel knows itself by another name.
  ///
  /// - Parameter location: `Location`, absolute or not (RFC 9110, 10.2.2).
  /// - Returns: nil for what is no address.
  func url(location: String, of request: URL) -> URL? {
    guard let led = URL(string: location, relativeTo: request),
      let parts = URLComponents(url: led, resolvingAgainstBaseURL: true),
      parts.percentEncodedPath.hasPrefix("/")
    else { return nil }
    let query = parts.percentEncodedQuery.map { "?" + $0 } ?? ""
    return URL(string: origin + parts.percentEncodedPath + query)
  }
}
