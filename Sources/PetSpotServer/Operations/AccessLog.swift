import HTTPTypes
import Logging
import Metrics
import Synchronization

/// Records each response when it has been sent: a line in the log, a count and a time. None of them ever holds a query,
/// a cookie, a password or a position.
///
/// A client has only so many lines a minute. Beyond that its responses are counted, and one line a minute has the
/// counts of all clients.
final class AccessLog: Sendable {
  /// A response.
  struct Entry: Sendable {
    /// Who sent the request.
    var client: ClientNetwork
    var method: HTTPRequest.Method
    /// The pattern of the route.
    var route: String
    var status: Int
    /// From the head of the request to the last byte of the response.
    var duration: Duration
    /// Bytes of the body that were sent; nil where another server sends them.
    var sent: Int?
    /// Whether that was all of it.
    var isWhole: Bool
  }

  /// Lines a minute and client of responses that cost little: 304, and everything that is the client's fault.
  static let cheapLines = 100
  /// Lines a minute and client of all others.
  static let otherLines = 6000
  /// Clients whose lines are counted at a time; those beyond them count as one.
  private static let maxClients = 10_000

  private struct Share: Hashable {
    var client: ClientNetwork
    var isCheap: Bool
  }

  private struct Minute {
    var begin = ContinuousClock.now
    var lines: [Share: Int] = [:]
    /// Responses without a line, by status.
    var unlogged: [Int: Int] = [:]
  }

  private let logger: Logger
  private let minute = Mutex(Minute())

  /// - Parameter logger: gets the counts.
  init(_ logger: Logger) { self.logger = logger }

  /// Records a response.
  func record(_ entry: Entry, _ logger: Logger) {
    // Methods are strangers' words; those we know are few.
    let known = Self.methods.contains(entry.method) ? entry.method.rawValue : "other"
    Self.requests(known, entry.route, entry.status).increment()
    Self.times(entry.route).record(duration: entry.duration)
    guard hasLine(entry) else { return }
    let milliseconds = Int(entry.duration / .milliseconds(1))
    var facts: Logger.Metadata = [
      "method": "\(known)", "route": "\(entry.route)", "status": "\(entry.status)",
      "ms": "\(milliseconds)",
    ]
    if let sent = entry.sent { facts["sent"] = "\(sent)" }
    if !entry.isWhole { facts["cut"] = "true" }
    logger.info("request", metadata: facts)
  }

  /// Logs how many responses had no line since the last time, by status, and which client had the most of all.
  func summarize() {
    let last = minute.withLock { minute in
      defer { minute = Minute() }
      return minute
    }
    guard !last.unlogged.isEmpty else { return }
    var facts: Logger.Metadata = ["count": "\(last.unlogged.values.reduce(0, +))"]
    for (status, count) in last.unlogged { facts["status-\(status)"] = "\(count)" }
    if let most = last.lines.max(by: { $0.value < $1.value }) {
      facts["client"] = "\(most.key.client.text)"
    }
    logger.notice("requests not logged", metadata: facts)
  }

  private func hasLine(_ entry: Entry) -> Bool {
    let isCheap = entry.status == 304 || (400..<500).contains(entry.status)
    // Without `RepeatedWork.summarizing`, as in another program, the minute ends here.
    if minute.withLock({ .now - $0.begin >= .seconds(90) }) { summarize() }
    return minute.withLock { minute in
      var share = Share(client: entry.client, isCheap: isCheap)
      if minute.lines.count >= Self.maxClients, minute.lines[share] == nil {
        share.client = .local
      }
      minute.lines[share, default: 0] += 1
      if minute.lines[share, default: 0] <= (isCheap ? Self.cheapLines : Self.otherLines) {
        return true
      }
      minute.unlogged[entry.status, default: 0] += 1
      return false
    }
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
