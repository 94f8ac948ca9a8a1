import Announcements
import Foundation
import HTTPClient

/// The line to one server: asks, and asks again when a try failed for a reason that may pass.
struct ServerConnection: Sendable {
  let address: ServerAddress
  /// What is waited before each further try, of those that nothing came of in between.
  let waits: [Duration]
  private let connection = HTTPConnection()

  init(_ address: ServerAddress, waits: [Duration]) {
    (self.address, self.waits) = (address, waits)
  }

  /// Asks until there is an answer that will stay the same; for questions that may be asked twice.
  ///
  /// - Throws: `AnnouncementError.unavailable`.
  func send(_ request: HTTPRequest) async throws -> HTTPAnswer {
    var retries = Retries(waits: waits)
    while true {
      do {
        return try await sendOnce(request)
      } catch let failure as PassingFailure {
        try await retries.wait(after: failure)
      }
    }
  }

  /// Asks once.
  ///
  /// - Throws: `PassingFailure`, `AnnouncementError.unavailable`.
  func sendOnce(_ request: HTTPRequest) async throws -> HTTPAnswer {
    var request = request
    // A photo may take that long to be looked at once it has arrived.
    request.silentSeconds = 60
    // What arrived of it is not sent twice.
    request.isSentOnce = true
    request.headers += [("accept", "application/json"), ("user-agent", "petspot")]
    let answer: HTTPAnswer
    do {
      answer = try await connection.send(request)
    } catch let failure as HTTPFailure {
      let what = "\(address) \(failure.sentence)"
      throw failure.isLasting
        ? AnnouncementError.unavailable(what) : PassingFailure(what: what) as any Error
    }
    // What a server or a proxy before it says of itself at this moment (RFC 9110, 15.5.9 and 15.6).
    guard [408, 500, 502, 503, 504].contains(answer.status) else { return answer }
    let seconds = answer.headers["retry-after"].flatMap { Int($0) } ?? 0
    throw PassingFailure(what: "\(address) answered \(answer.status)", seconds: seconds)
  }
}

extension HTTPFailure {
  /// What is wrong with a server, behind its address.
  fileprivate var sentence: String {
    switch kind {
    case .certificate: "has a certificate that does not hold"
    case .address: "is no address of a server"
    case .length: "answered without an end"
    case .time: "does not answer in time"
    case .name: "has a name that is not known"
    case .cancelled, .connection: "cannot be reached"
    }
  }
}

/// A try failed, and the next one may not.
struct PassingFailure: Error {
  /// What happened, for people.
  let what: String
  /// How long the server asked to wait.
  var seconds = 0
}

/// Counts tries without progress.
struct Retries {
  /// No server makes us wait longer than this, in seconds.
  private static let longestWait = 10

  let waits: [Duration]
  private var used = 0

  init(waits: [Duration]) { self.waits = waits }

  /// Waits before the next try; throws `AnnouncementError.unavailable` when there were enough.
  mutating func wait(after failure: PassingFailure) async throws {
    guard used < waits.count else { throw AnnouncementError.unavailable(failure.what) }
    let asked = Duration.seconds(max(0, min(failure.seconds, Self.longestWait)))
    let pause = max(waits[used], asked)
    used += 1
    try await Task.sleep(for: pause)
  }

  /// Something came of a try.
  mutating func madeProgress() { used = 0 }
}
