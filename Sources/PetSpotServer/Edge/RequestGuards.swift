import Announcements
import Foundation
import HTTPTypes
import Hashing
import HummingbirdCore

/// Refuse requests by their heads. Before them, a connection has passed `ClientConnections` and `ConnectionGuard`;
/// behind them, `BodyLimiter` counts the request's body, a page or list waits at a `FairQueue` for its client's turn,
/// and handlers ask `ClientRateLimiter`.
struct RequestGuards: Sendable {
  private let hosts: HostGuard
  /// The secret part of the path below which the library is browsed, and nothing else; nil for other servers.
  private let librarySecret: String?

  init(_ configuration: ServerConfiguration) {
    hosts = HostGuard(configuration)
    librarySecret = configuration.librarySecret
  }

  /// Checks every request.
  func check(_ request: Request) throws(ErrorResponse) {
    guard request.isQuickToCompare else {
      throw ErrorResponse(
        .badRequest, "INVALID_HEADER", "A header field or the address has too many marks in a row.")
    }
    try hosts.check(request)
    guard let librarySecret else { return }
    let given = request.uri.path.split(separator: "/").first ?? ""
    guard isSame(Array(given.utf8), Array(librarySecret.utf8)) else { throw .notFound }
  }

  /// Checks a request with a route; the others hear of their wrong address or method first.
  static func checkRouted(_ request: Request) throws(ErrorResponse) {
    try checkBody(request)
    try checkOrigin(request)
  }

  /// Refuses what no body may claim (RFC 9110, 8.4, 10.1.1 and 8.6).
  ///
  /// - Throws: 417, 415.
  static func checkBody(_ request: Request) throws(ErrorResponse) {
    if let expect = request.headers[.expect], expect.lowercased() != "100-continue" {
      throw ErrorResponse(
        .expectationFailed, "EXPECTATION_FAILED", "Only 100-continue is supported.")
    }
    if let coding = request.headers[.contentEncoding], coding.lowercased() != "identity" {
      throw ErrorResponse(
        .unsupportedMediaType, "UNSUPPORTED_MEDIA_TYPE", "Send the body without Content-Encoding.")
    }
  }

  /// Refuses what another site's page makes a browser send: by what the browser says of itself, without
  /// tokens (the check of Go 1.25's `net/http`).
  ///
  /// - Throws: 403 `CROSS_ORIGIN`. A request without either field doesn't come from a browser, and passes.
  private static func checkOrigin(_ request: Request) throws(ErrorResponse) {
    guard ![.get, .head, .options].contains(request.method) else { return }
    let refusal = ErrorResponse(
      .forbidden, "CROSS_ORIGIN", "This was sent from another site. Open our page and try again.")
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
  /// Whether its address and fields cost no more than their bytes to compare.
  var isQuickToCompare: Bool {
    func isQuick(_ text: String) -> Bool { text.withShortRowsOfMarks.utf8.count == text.utf8.count }
    return isQuick(head.path ?? "") && headers.allSatisfy { isQuick($0.value) }
  }
}
