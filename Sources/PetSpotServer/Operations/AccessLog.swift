import HTTPTypes
import Logging
import Metrics

/// Notes each answer when it has been sent: a line in the log, a count and a time. Neither ever holds a query, a cookie, a
/// password or a position.
struct AccessLog: Sendable {
  /// Notes an answer.
  ///
  /// - Parameters:
  ///   - duration: from the head of the request to the last byte of the answer.
  ///   - sent: bytes of the body that were sent; nil where another server sends them.
  ///   - isWhole: whether that was all of it.
  func record(
    _ method: HTTPRequest.Method, _ route: String, _ status: Int, _ duration: Duration, sent: Int?,
    isWhole: Bool, _ logger: Logger
  ) {
    // Methods are strangers' words; those we know are few.
    let known = Self.methods.contains(method) ? method.rawValue : "other"
    Self.requests(known, route, status).increment()
    Self.times(route).record(duration: duration)
    let milliseconds = Int(duration / .milliseconds(1))
    var facts: Logger.Metadata = [
      "method": "\(known)", "route": "\(route)", "status": "\(status)",
      "ms": "\(milliseconds)",
    ]
    if let sent { facts["sent"] = "\(sent)" }
    if !isWhole { facts["cut"] = "true" }
    logger.info("request", metadata: facts)
  }

  static func requests(_ method: String, _ route: String, _ status: Int) -> Counter {
    let dimensions = [("method", method), ("route", route), ("status", String(status))]
    return Counter(label: "http_requests_total", dimensions: dimensions)
  }

  static func times(_ route: String) -> Metrics.Timer {
    Metrics.Timer(label: "http_request_seconds", dimensions: [("route", route)])
  }

  private static let methods: Set<HTTPRequest.Method> = [
    .get, .head, .post, .put, .patch, .delete, .options,
  ]
}
