import Foundation
import HTTPTypes
import Hashing
import HummingbirdCore
import PhotoModel

/// The checks of a request's head. The request's connection has already passed `ClientConnections` and
/// `ConnectionGuard`. Afterward, `BodyLimiter` counts the request's body, pages and lists wait in a `FairQueue` for
/// their client's turn, and handlers call `ClientRateLimiter`.
struct RequestGuards: Sendable {
  private let hosts: HostGuard
  /// The first component of all paths of a server for browsing the library. `nil` for other servers.
  private let librarySecret: String?

  init(_ configuration: ServerConfiguration) {
    hosts = HostGuard(configuration)
    librarySecret = configuration.librarySecret
  }

  /// Checks every request.
  func check(_ request: Request) throws(ErrorResponse) {
    guard request.isQuickToCompare else {
      throw ErrorResponse(
        .invalidHeader, "A header field or the address has too many marks in a row.")
    }
    try hosts.check(request)
    guard let librarySecret else { return }
    let given = request.uri.path.split(separator: "/").first ?? ""
    guard isSame(Array(given.utf8), Array(librarySecret.utf8)) else { throw .notFound }
  }

  /// Checks a request that has a route. Requests without one were already refused because of their path or method.
  static func checkRouted(_ request: Request) throws(ErrorResponse) {
    try checkBody(request)
    try checkOrigin(request)
  }

  /// Refuses expectations and encodings that aren't supported (RFC 9110, 10.1.1 and 8.4).
  ///
  /// - Throws: 417 or 415.
  static func checkBody(_ request: Request) throws(ErrorResponse) {
    if let expect = request.headers[.expect], expect.lowercased() != "100-continue" {
      throw ErrorResponse(
        .expectationFailed, "Only 100-continue is supported.")
    }
    if let coding = request.headers[.contentEncoding], coding.lowercased() != "identity" {
      throw ErrorResponse(
        .unsupportedMediaType, "Send the body without Content-Encoding.")
    }
  }

  /// Refuses requests that another site's page makes a browser send. The check uses the fields that browsers set,
  /// without tokens, like Go 1.25's `net/http`. A request without either field doesn't come from a browser, and passes.
  ///
  /// - Throws: 403 `CROSS_ORIGIN`.
  private static func checkOrigin(_ request: Request) throws(ErrorResponse) {
    guard ![.get, .head, .options].contains(request.method) else { return }
    let refusal = ErrorResponse(
      .crossOrigin, "This was sent from another site. Open our page and try again.")
    if let site, let from = request.headers[site] {
      guard from == "same-origin" || from == "none" else { throw refusal }
      return
    }
    guard let origin = request.headers[.origin] else { return }
    guard let url = URL(string: origin), let host = url.host(),
      let authority = request.head.authority
    else { throw refusal }
    let name = host.contains(":") ? "[\(host)]" : host
    let full = url.port.map { "\(name):\($0)" } ?? name
    guard full.lowercased() == authority.lowercased() else { throw refusal }
  }

  private static let site = HTTPField.Name("Sec-Fetch-Site")
}

extension Request {
  /// `true` if comparing the address and the fields takes time in proportion to their bytes. Text with many combining
  /// marks in a row takes longer.
  var isQuickToCompare: Bool {
    func isQuick(_ text: String) -> Bool { text.withShortRowsOfMarks.utf8.count == text.utf8.count }
    return isQuick(head.path ?? "") && headers.allSatisfy { isQuick($0.value) }
  }
}
