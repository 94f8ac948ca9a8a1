import Announcements
import Foundation
import HTTPClient

/// The connection to one server: sends requests, and sends them again when a try failed for a transient reason.
struct ServerConnection: Sendable {
  let address: ServerAddress
  /// The pause before each retry without progress in between.
  let waits: [Duration]
  private let connection = HTTPConnection()

  /// Sends a request until there is a final answer; for requests that may be repeated.
  ///
  /// - Throws: `AnnouncementError.unavailable`.
  func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    var retries = Retries(waits: waits)
    while true {
      do {
        return try await sendOnce(request)
      } catch let failure as TransientFailure {
        try await retries.wait(after: failure)
      }
    }
  }

  /// Sends a request once.
  ///
  /// - Throws: `TransientFailure`, `AnnouncementError.unavailable`.
  func sendOnce(_ request: HTTPRequest) async throws -> HTTPResponse {
    var request = request
    // The server may take that long for a photo once it has arrived.
    request.silentSeconds = 60
    // What has arrived is not sent again.
    request.isSentOnce = true
    request.headers += [("accept", "application/json"), ("user-agent", "petspot")]
    let answer: HTTPResponse
    do {
      answer = try await connection.send(request)
    } catch let failure as HTTPFailure {
      let what = "\(address) \(failure.sentence)"
      throw failure.isLasting
        ? AnnouncementError.unavailable(what) : TransientFailure(what: what) as any Error
    }
    // A transient state of the server or of a proxy before it (RFC 9110, 15.5.9 and 15.6).
    guard [408, 500, 502, 503, 504].contains(answer.status) else { return answer }
    let seconds = answer.headers["retry-after"].flatMap { Int($0) } ?? 0
    throw TransientFailure(what: "\(address) answered \(answer.status)", seconds: seconds)
  }
}

extension HTTPFailure {
  /// What is wrong with a server; follows its address.
  fileprivate var sentence: String {
    switch kind {
    case .certificate: "has an invalid certificate"
    case .address: "isn't a server's address"
    case .length: "sent an endless answer"
    case .time: "didn't answer in time"
    case .name: "can't be found"
    case .cancelled, .connection: "can't be reached"
    }
  }
}

/// A try failed for a transient reason.
struct TransientFailure: Error {
  /// What happened, for people.
  let what: String
  /// How long the server asked to wait.
  var seconds = 0
}

/// Counts tries without progress.
struct Retries {
  /// No server makes us wait longer than this, in seconds.
  private static let maxWaitSeconds = 10

  let waits: [Duration]
  private var used = 0

  init(waits: [Duration]) { self.waits = waits }

  /// Waits before the next try; throws `AnnouncementError.unavailable` when there were enough.
  mutating func wait(after failure: TransientFailure) async throws {
    guard used < waits.count else { throw AnnouncementError.unavailable(failure.what) }
    let asked = Duration.seconds(max(0, min(failure.seconds, Self.maxWaitSeconds)))
    let pause = max(waits[used], asked)
    used += 1
    try await Task.sleep(for: pause)
  }

  mutating func madeProgress() { used = 0 }
}
