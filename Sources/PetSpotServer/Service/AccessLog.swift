import HTTPTypes
import Logging
import Metrics
import Synchronization

/// Records each response after it was sent: a line in the log, a count and a duration. They never contain a query, a
/// cookie, a password or a position.
///
/// The lines per client and minute are limited. Responses beyond the limit are counted, and one line per minute has the
/// counts of all clients.
final class AccessLog: Sendable {
  /// A response that was sent.
  struct Entry: Sendable {
    /// The client that sent the request.
    var client: ClientNetwork
    var method: HTTPRequest.Method
    /// The pattern of the route.
    var route: String
    var status: Int
    /// The time from the head of the request to the last byte of the response.
    var duration: Duration
    /// The number of bytes of the body that were sent. `nil` if another server sends them.
    var sent: Int?
    /// `true` if the whole body was sent.
    var isWhole: Bool
  }

  /// The lines per minute and client for cheap responses: 304, and errors caused by the client.
  static let cheapLines = 100
  /// The lines per minute and client for all other responses.
  static let otherLines = 6000
  /// The number of clients whose lines are counted separately. All others count as one client.
  private static let maxClients = 10_000

  private struct Share: Hashable {
    var client: ClientNetwork
    var isCheap: Bool
  }

  private struct Minute {
    var begin = ContinuousClock.now
    var lines: [Share: Int] = [:]
    /// The numbers of responses without a line, by status.
    var unlogged: [Int: Int] = [:]
  }

  private let logger: Logger
  private let minute = Mutex(Minute())

  /// - Parameter logger: the logger for the counts.
  init(_ logger: Logger) { self.logger = logger }

  /// Records a response.
  func record(_ entry: Entry, _ logger: Logger) {
    // A method is text from the client, so unknown ones are not used as labels.
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

  /// Logs the number of responses without a line since the last call, by status, and the client with the most
  /// responses.
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

  /// Counts a response. Returns `true` if its client has not exceeded its lines for this minute.
  private func hasLine(_ entry: Entry) -> Bool {
    let isCheap = entry.status == 304 || (400..<500).contains(entry.status)
    // Ends the minute here if `RepeatedWork.summarizing` doesn't run, as in another program.
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
