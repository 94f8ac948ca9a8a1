import HTTPTypes
import HummingbirdCore

/// Answers one request.
typealias Handler = @Sendable (RequestContext) async throws -> Response

/// A method, a path and who answers it.
struct Route: Sendable {
  let method: HTTPRequest.Method
  /// Parts of the path; one in braces stands for any single part.
  let parts: [Substring]
  /// The path as it is written in the table, for log and metrics.
  let pattern: String
  let handler: Handler
  /// Whether it waits for its client's turn among all pages and lists that are made. What takes a body, waits
  /// for events or has turns of its own does not.
  let takesTurn: Bool
  /// The stores without which it can't be answered.
  let needs: Set<StoreChecks.Subject>

  init(
    _ method: HTTPRequest.Method, _ pattern: String, takesTurn: Bool? = nil,
    needs: Set<StoreChecks.Subject> = [.database], _ handler: @escaping Handler
  ) {
    self.needs = needs
    self.method = method
    self.pattern = pattern
    self.handler = handler
    self.takesTurn = takesTurn ?? (method == .get)
    parts = pattern.split(separator: "/")
  }

  /// What stands in the places of the path, nil when it is another path.
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

/// All routes, by path.
struct RouteTable: Sendable {
  private let routes: [Route]

  init(_ routes: [Route]) { self.routes = routes }

  enum Match {
    case route(Route, [String: String])
    case methods([HTTPRequest.Method], pattern: String)
    case none
  }

  /// Finds the route of a request. HEAD is answered by GET.
  func find(_ method: HTTPRequest.Method, _ path: [String]) -> Match {
    let isHeadAlone = routes.contains { $0.method == .head && $0.match(path) != nil }
    let wanted = method == .head && !isHeadAlone ? .get : method
    var (methods, pattern) = ([HTTPRequest.Method](), "")
    for route in routes {
      guard let parameters = route.match(path) else { continue }
      // The first path that fits is the one that is meant: `/report/photo` before `/report/{step}`.
      guard methods.isEmpty || route.pattern == pattern else { continue }
      if route.method == wanted { return .route(route, parameters) }
      pattern = route.pattern
      methods.append(route.method)
    }
    guard !methods.isEmpty else { return .none }
    if methods.contains(.get) { methods.append(.head) }
    if !methods.contains(.options) { methods.append(.options) }
    return .methods(methods, pattern: pattern)
  }
}

/// A path as its decoded parts.
enum PathParts {
  /// The parts of a path; empty ones count for nothing. Nil for a path that no route can have: a part
  /// that is not UTF-8, a dot segment, a separator or control character behind an escape.
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
