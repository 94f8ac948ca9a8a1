package import Foundation
import Glibc
package import HTTPClient
import PhotoIngestion
import Synchronization

/// A client for the five operations that PetSpot needs: put, get, head, delete and list. All can be repeated, because
/// the bytes of a key never change. Calls block.
package final class S3Client: Sendable {
  package let address: S3Address
  private let transport: any HTTPTransport
  private let signer: SigV4
  private let timeout: Duration
  private let now: @Sendable () -> Date
  private let sleep: @Sendable (Duration) -> Void
  private let budget = RetryBudget()
  /// The number of seconds that are added to this machine's clock for signatures, because the store rejected its time.
  /// 0 unless that has happened.
  private let skew = Mutex(0.0)

  /// - Parameters:
  ///   - timeout: the limit for one operation with all its attempts. Transfers of pictures get one more second for each
  ///     256 KiB.
  ///   - now: the clock for signatures.
  ///   - sleep: waits between attempts.
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

  /// A request before it is signed, with its limits.
  struct Operation: Sendable {
    var method: String
    var key = ""
    var query: [(String, String)] = []
    var headers: [(String, String)] = []
    var body: [UInt8]?
    var maxAnswerBytes = 1 << 20
    /// The number of bytes that are sent or received, by which the time limit grows.
    var load = 0
    var usesNewConnection = false
    /// The maximum number of attempts.
    var tries = 6
    /// The SHA-256 that is signed for the body. `nil` computes it.
    var digest: String?
  }

  /// Sends a request and repeats it after transient failures until the time or the attempts run out.
  func perform(_ operation: Operation) throws(StoreError) -> HTTPResponse {
    let end = ContinuousClock.now + timeout + .seconds(operation.load / (256 << 10))
    var operation = operation
    var tries = 0
    let digest = operation.digest ?? sha256(of: operation.body ?? [])
    budget.countRequest()
    while true {
      tries += 1
      var problem: S3Problem
      let skew = skew.withLock { $0 }
      do throws(HTTPTransportError) {
        let answer = try transport.send(signed(operation, digest, ahead: skew, until: end))
        guard let found = S3Problem(answer) else { return answer }
        problem = found
        if found.code == "RequestTimeTooSkewed" {
          guard takesTime(of: answer, signedAhead: skew) else {
            throw HTTPTransportError.permanent(found.summary)
          }
        } else if !found.isTransient {
          return answer
        }
      } catch {
        if error.isPermanent { throw .unreachable(service: address.shown, detail: error.words) }
        problem = S3Problem(noAnswer: error.words)
      }
      let pause = Duration.milliseconds(
        Int.random(in: 0...min(5000, 50 << min(tries, 10))))
      guard tries < operation.tries, ContinuousClock.now + pause < end, budget.allowsRetry() else {
        throw problem.error(address)
      }
      operation.usesNewConnection = problem.isLost
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

  /// Uses the store's time from a response for later signatures, if the rejected one had a different time.
  ///
  /// - Parameter skew: the number of seconds by which the rejected request was signed ahead of this machine's clock.
  /// - Returns: `false` if the request was signed with the time in the response, so that signing it again would not
  ///   help.
  private func takesTime(of answer: HTTPResponse, signedAhead skew: TimeInterval) -> Bool {
    guard let date = Self.date(of: answer) else { return false }
    let found = date.timeIntervalSince(now())
    // Stores allow a difference of 15 minutes. Less than a minute can be the duration of the request.
    guard abs(found - skew) > 60 else { return false }
    self.skew.withLock { $0 = found }
    return true
  }

  /// Returns the number of milliseconds by which the store's clock is ahead of this machine's, or `nil` if the store
  /// sends no date.
  func clockDifference(_ key: String) throws(StoreError) -> Int? {
    let answer = try perform(Operation(method: "HEAD", key: key))
    return Self.date(of: answer).map { Int(($0.timeIntervalSince(now()) * 1000).rounded()) }
  }

  private static func date(of answer: HTTPResponse) -> Date? {
    answer.headers["date"].flatMap(CurlTransport.seconds)
      .map { Date(timeIntervalSince1970: TimeInterval($0)) }
  }
}
