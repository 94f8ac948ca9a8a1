import Announcements
import Foundation
import HTTPClient

/// A connection to one server. It sends requests and repeats those that fail for a transient reason.
struct ServerConnection: Sendable {
  let address: ServerAddress
  /// The pauses before each retry. They start over after progress.
  let waits: [Duration]
  private let connection = HTTPConnection()

  /// Sends a request and repeats it after transient failures. Only for requests that may be repeated.
  ///
  /// - Throws: `AnnouncementError.unavailable` if the last retry fails.
  func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    var retries = Retries(waits: waits)
    while true {
      do {
        return try await sendOnce(request)
      } catch let error as TransientError {
        try await retries.wait(after: error)
      }
    }
  }

  /// Sends a request once.
  ///
  /// - Throws: `TransientError` or `AnnouncementError.unavailable`.
  func sendOnce(_ request: HTTPRequest) async throws -> HTTPResponse {
    var request = request
    // The server may need that long to process a photo after it has arrived.
    request.silentSeconds = 60
    // The transport must not repeat a body that may have arrived.
    request.isSentOnce = true
    request.headers += [("accept", "application/json"), ("user-agent", "petspot")]
    let answer: HTTPResponse
    do {
      answer = try await connection.send(request)
    } catch let error as HTTPTransportError {
      let reason = "\(address) \(error.sentence)"
      throw error.isPermanent
        ? AnnouncementError.unavailable(reason) : TransientError(reason: reason) as any Error
    }
    // The server, or a proxy in front of it, is temporarily unavailable (RFC 9110, 15.5.9 and 15.6).
    guard [408, 500, 502, 503, 504].contains(answer.status) else { return answer }
    let seconds = answer.headers["retry-after"].flatMap { Int($0) } ?? 0
    throw TransientError(reason: "\(address) answered \(answer.status)", seconds: seconds)
  }
}

extension HTTPTransportError {
  /// The second half of an error sentence, after the server's address.
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

/// A transient failure of one attempt.
struct TransientError: Error {
  /// An English description for people.
  let reason: String
  /// The wait that the server asked for, in seconds.
  var seconds = 0
}

/// The retries since the last progress.
struct Retries {
  /// The longest wait in seconds that a server may ask for.
  private static let maxWaitSeconds = 10

  let waits: [Duration]
  private var used = 0

  init(waits: [Duration]) { self.waits = waits }

  /// Waits before the next attempt.
  ///
  /// - Throws: `AnnouncementError.unavailable` if all retries are used.
  mutating func wait(after error: TransientError) async throws {
    guard used < waits.count else { throw AnnouncementError.unavailable(error.reason) }
    let asked = Duration.seconds(max(0, min(error.seconds, Self.maxWaitSeconds)))
    let pause = max(waits[used], asked)
    used += 1
    try await Task.sleep(for: pause)
  }

  mutating func madeProgress() { used = 0 }
}
