import HTTPTypes
import HummingbirdCore
import PhotoUploads

/// A function that responds to the requests of a route.
typealias Handler = @Sendable (RequestContext) async throws -> Response

/// A method and a path with their handler.
struct Route: Sendable {
  let method: HTTPRequest.Method
  /// The components of the path. One in braces matches any component.
  let parts: [Substring]
  /// The path as text, for the log and metrics.
  let pattern: String
  let handler: Handler
  /// `true` if requests wait for their client's turn among all pages and lists. By default, only GET requests do. Some
  /// GET routes don't either, such as event streams and static files.
  let takesTurn: Bool
  /// The stores that the handler needs.
  let needs: Set<ServerStore>
  /// `true` if browsers get errors as pages. Programs always get JSON.
  private(set) var showsErrorPages = false

  /// Creates a route whose errors are JSON.
  init(
    _ method: HTTPRequest.Method, _ pattern: String, takesTurn: Bool? = nil,
    needs: Set<ServerStore> = [.database], _ handler: @escaping Handler
  ) {
    self.needs = needs
    self.method = method
    self.pattern = pattern
    self.handler = handler
    self.takesTurn = takesTurn ?? (method == .get)
    parts = pattern.split(separator: "/")
  }

  /// Creates a route whose errors are pages for browsers.
  static func page(
    _ method: HTTPRequest.Method, _ pattern: String, takesTurn: Bool? = nil,
    needs: Set<ServerStore> = [.database], _ handler: @escaping Handler
  ) -> Self {
    var route = Self(method, pattern, takesTurn: takesTurn, needs: needs, handler)
    route.showsErrorPages = true
    return route
  }

  /// Returns the parameters of a path. `nil` if the route has another path.
  func match(_ path: [String]) -> [String: String]? {
    guard path.count == parts.count else { return nil }
    var parameters: [String: String] = [:]
    for (part, given) in zip(parts, path) {
      if part.hasPrefix("{") {
        parameters[String(part.dropFirst().dropLast())] = given
      } else if part != given {
        return nil
      }
    }
    return parameters
  }
}

/// The routes of a server, in the order in which they are tried. `ServerResponder` finds a request's route here.
struct RouteTable: Sendable {
  private let routes: [Route]

  init(_ routes: [Route]) { self.routes = routes }

  enum Match {
    case route(Route, [String: String])
    /// The path exists, but only for these methods.
    case methods([HTTPRequest.Method], of: Route)
    case none
  }

  /// Finds the route of a request. HEAD uses GET's route unless it has its own.
  func find(_ method: HTTPRequest.Method, _ path: [String]) -> Match {
    let hasHeadRoute = routes.contains { $0.method == .head && $0.match(path) != nil }
    let wanted = method == .head && !hasHeadRoute ? .get : method
    var methods: [HTTPRequest.Method] = []
    var first: Route?
    for route in routes {
      guard let parameters = route.match(path) else { continue }
      // The first path that matches is used: `/report/photo` before `/report/{step}`.
      guard first == nil || route.pattern == first?.pattern else { continue }
      if route.method == wanted { return .route(route, parameters) }
      first = first ?? route
      methods.append(route.method)
    }
    guard let first else { return .none }
    if methods.contains(.get) { methods.append(.head) }
    if !methods.contains(.options) { methods.append(.options) }
    return .methods(methods, of: first)
  }

  /// Returns `true` if the error of a request is shown as a page, because of its route and because it comes from a
  /// browser. A path without a route counts as one of the routes with which it shares the most leading components.
  func showsErrorPage(for request: Request) -> Bool {
    guard request.acceptsPages else { return false }
    let path =
      PathParts.decode(request.uri.path) ?? request.uri.path.split(separator: "/").map(String.init)
    switch find(request.method, path) {
    case .route(let route, _), .methods(_, of: let route): return route.showsErrorPages
    case .none:
      let shared = routes.map { zip($0.parts, path).prefix { $0.0 == $0.1 }.count }
      let most = shared.max()
      return zip(routes, shared).contains { $0.showsErrorPages && $1 == most }
    }
  }
}

extension Request {
  /// `true` if the request comes from a browser.
  var acceptsPages: Bool { isQuickToCompare && headers[.accept]?.contains("text/html") == true }
}

enum PathParts {
  /// Decodes the components of a path and skips empty ones. Returns `nil` if no route can have the path, because it
  /// contains invalid UTF-8, a dot segment, or an escaped separator or control character.
  static func decode(_ path: String) -> [String]? {
    var parts: [String] = []
    for part in path.split(separator: "/") {
      guard let text = PercentText.decode(part.utf8), text != ".", text != "..",
        !text.unicodeScalars.contains(where: {
          $0.value < 0x20 || $0 == "/" || $0 == "\\" || $0.value == 0x7F
        })
      else { return nil }
      parts.append(text)
    }
    return parts
  }
}
