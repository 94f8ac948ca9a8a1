import Foundation
import HTTPTypes
import HummingbirdCore

/// Refuses what another site's page makes a browser send: by what the browser says of itself, without
/// tokens (the check of Go 1.25's `net/http`).
struct CrossOriginGuard: RequestGuard {
  private static let site = HTTPField.Name("Sec-Fetch-Site")
  private static let safe: Set<HTTPRequest.Method> = [.get, .head, .options]

  /// - Throws: 403 `CROSS_ORIGIN`. A request that says neither comes from no browser, and passes.
  func check(_ request: Request) throws(ErrorResponse) {
    guard !Self.safe.contains(request.method) else { return }
    let refusal = ErrorResponse(
      .forbidden, "CROSS_ORIGIN", "This was sent from another site. Open our page and try again.")
    if let site = Self.site, let from = request.headers[site] {
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
}
