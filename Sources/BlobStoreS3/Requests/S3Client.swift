package import Foundation
import Glibc
package import HTTPClient
import PhotoIngestion
import Synchronization

/// Asks a store for what we need of it: put, get, head, delete and list, all of which may be tried
/// again because a key stands for the same bytes for ever. Calls block.
package final class S3Client: Sendable {
  package let address: S3Address
  private let transport: any HTTPTransport
  private let signer: SigV4
  private let timeout: Duration
  private let now: @Sendable () -> Date
  private let sleep: @Sendable (Duration) -> Void
  private let budget = RetryBudget()
  /// Seconds that the store's clock is ahead of this machine's, when they differ too much.
  private let skew = Mutex(0.0)

  /// - Parameters:
  ///   - timeout: for one transaction, with all its tries; what carries a picture has a second more for
  ///     each 256 KiB.
  ///   - now: the clock that requests are signed by.
  ///   - sleep: waits between tries.
  package init(
    _ address: S3Address, keys: S3Credentials, transport: any HTTPTransport = CurlTransport(),
    timeout: Duration = .seconds(30), now: @escaping @Sendable () -> Date = { Date() },
    sleep: @escaping @Sendable (Duration) -> Void = { usleep(UInt32($0 / .microseconds(1))) }
  ) {
    self.address = address
    self.transport = transport
    self.timeout = timeout
    self.now = now
    self.sleep = sleep
    signer = SigV4(keys: keys, region: address.region)
  }

  struct Operation: Sendable {
    var method: String
    var key = ""
    var query: [(String, String)] = []
    var headers: [(String, String)] = []
    var body: [UInt8]?
    var maxAnswerBytes = 1 << 20
    /// Bytes that come or go.
    var load = 0
    var usesNewConnection = false
    /// How often it is tried, at most.
    var tries = 6
    /// What is signed as the SHA-256 of the body, nil for what it is.
    var digest: String?
  }

  /// Sends a request until there is an answer that is no passing failure, or no time.
  func perform(_ operation: Operation) throws(StoreError) -> HTTPResponse {
    let end = ContinuousClock.now + timeout + .seconds(operation.load / (256 << 10))
    var operation = operation
    var tries = 0
    let digest = operation.digest ?? sha256(of: operation.body ?? [])
    budget.countRequest()
    while true {
      tries += 1
      var trouble: S3Failure
      let skew = skew.withLock { $0 }
      do throws(HTTPFailure) {
        let answer = try transport.send(signed(operation, digest, ahead: skew, until: end))
        guard let found = S3Failure(answer) else { return answer }
        trouble = found
        if found.code == "RequestTimeTooSkewed" {
          guard takesTime(of: answer, signedAhead: skew) else {
            throw HTTPFailure.lasting(found.summary)
          }
        } else if !found.isTransient {
          return answer
        }
      } catch {
        if error.isLasting { throw .unreachable(service: address.shown, detail: error.words) }
        trouble = S3Failure(noAnswer: error.words)
      }
      let pause = Duration.milliseconds(
        Int.random(in: 0...min(5000, 50 << min(tries, 10))))
      guard tries < operation.tries, ContinuousClock.now + pause < end, budget.allowsRetry() else {
        throw trouble.error(address)
      }
      operation.usesNewConnection = trouble.isLost
      sleep(pause)
    }
  }

  private func signed(
    _ operation: Operation, _ digest: String, ahead skew: TimeInterval,
    until end: ContinuousClock.Instant
  ) -> HTTPRequest {
    let date = SigningDate(now().addingTimeInterval(skew))
    let path = address.path(operation.key)
    var headers = operation.headers
    headers += [
      ("host", address.host), ("x-amz-content-sha256", digest), ("x-amz-date", date.time),
    ]
    if let token = signer.keys.sessionToken { headers.append(("x-amz-security-token", token)) }
    let authorization = signer.authorization(
      operation.method, path: path, query: operation.query, headers: headers, payload: digest,
      at: date)
    let query = operation.query.isEmpty ? "" : "?" + SigV4.canonical(operation.query)
    let left = (end - .now) / .milliseconds(1)
    var request = HTTPRequest(
      method: operation.method, url: "\(address.scheme)://\(address.host)\(path)\(query)",
      headers: headers + [("authorization", authorization)], body: operation.body,
      maxAnswerBytes: operation.maxAnswerBytes)
    request.milliseconds = max(1, Int(left))
    request.usesNewConnection = operation.usesNewConnection
    return request
  }

  /// Takes over the store's clock from an answer, whenever either clock was set.
  ///
  /// - Parameter skew: seconds by which the refused request was signed ahead of this machine's clock.
  /// - Returns: false when it was signed at the very time that the answer states: signing it again is of
  ///   no use.
  private func takesTime(of answer: HTTPResponse, signedAhead skew: TimeInterval) -> Bool {
    guard let date = Self.date(of: answer) else { return false }
    let found = date.timeIntervalSince(now())
    // Stores allow 15 minutes; what is within one is how long the request took.
    guard abs(found - skew) > 60 else { return false }
    self.skew.withLock { $0 = found }
    return true
  }

  /// Milliseconds that the store's clock is ahead of this machine's, nil when it sends no date.
  func clockDifference(_ key: String) throws(StoreError) -> Int? {
    let answer = try perform(Operation(method: "HEAD", key: key))
    return Self.date(of: answer).map { Int(($0.timeIntervalSince(now()) * 1000).rounded()) }
  }

  private static func date(of answer: HTTPResponse) -> Date? {
    answer.headers["date"].flatMap(CurlTransport.seconds)
      .map { Date(timeIntervalSince1970: TimeInterval($0)) }
  }
}
