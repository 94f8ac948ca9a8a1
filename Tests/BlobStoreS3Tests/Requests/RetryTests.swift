import Foundation
import HTTPClient
import PhotoAttachments
import PhotoIngestion
import Synchronization
import Testing

@testable import BlobStoreS3

/// Tests of retries and their outcomes. Responses come from a list instead of the network, so no test waits.
@Suite struct RetryTests {
  /// A transport that returns responses from a list, and repeats the last one.
  final class Answers: HTTPTransport {
    typealias Answer = Result<HTTPResponse, HTTPTransportError>
    private let answers: [Answer]
    private let asked = Mutex<[HTTPRequest]>([])

    init(_ answers: [Answer]) { self.answers = answers }

    var requests: [HTTPRequest] { asked.withLock { $0 } }

    func send(_ request: HTTPRequest) throws(HTTPTransportError) -> HTTPResponse {
      let count = asked.withLock { asked in
        asked.append(request)
        return asked.count
      }
      return try answers[min(count, answers.count) - 1].get()
    }
  }

  private func client(_ answers: Answers, now: Date = Date()) throws -> S3Client {
    try client(answers) { now }
  }

  private func client(
    _ answers: any HTTPTransport, now: @escaping @Sendable () -> Date
  ) throws -> S3Client {
    S3Client(
      try S3Address("s3://pets?endpoint=http://store:8333"),
      keys: S3Credentials(accessKey: "KEY", secret: "hush"), transport: answers, now: now,
      sleep: { _ in })
  }

  private static func error(_ status: Int, _ code: String = "") -> Answers.Answer {
    .success(
      HTTPResponse(
        status: status, headers: ["date": "Fri, 24 May 2013 00:00:00 GMT"],
        body: Array("<Error><Code>\(code)</Code></Error>".utf8)))
  }

  @Test(
    "A passing failure is retried until a request succeeds",
    arguments: [
      .failure(.passing("reset")), Self.error(429), Self.error(500), Self.error(502),
      Self.error(503, "SlowDown"), Self.error(504), Self.error(400, "RequestTimeout"),
      Self.error(400, "IncompleteBody"), Self.error(409, "OperationAborted"),
      Self.error(400, "BadDigest"),
    ] as [Answers.Answer])
  func passing(_ trouble: Answers.Answer) throws {
    let answers = Answers([trouble, trouble, .success(HTTPResponse(status: 200))])
    try client(answers).put("k", [1], type: "image/png")
    #expect(answers.requests.count == 3)
    #expect(Set(answers.requests.map(\.body)) == [[1]])
  }

  @Test(
    "A lasting failure is not retried, and is named in the error",
    arguments: [
      (.failure(.permanent("certificate")), .unreachable(service: "", detail: "certificate")),
      (
        Self.error(400, "InvalidRequest"),
        .serviceFailed(service: "", detail: "HTTP 400, InvalidRequest")
      ),
      (
        Self.error(403, "AccessDenied"),
        .serviceFailed(
          service: "", detail: "HTTP 403, AccessDenied", problem: .accessDenied)
      ),
      (
        Self.error(404, "NoSuchBucket"),
        .serviceFailed(
          service: "", detail: "HTTP 404, NoSuchBucket", problem: .missingBucket)
      ),
      (Self.error(307), .serviceFailed(service: "", detail: "HTTP 307")),
    ] as [(Answers.Answer, StoreError)])
  func lasting(_ trouble: Answers.Answer, _ expected: StoreError) throws {
    let answers = Answers([trouble])
    #expect(throws: expected.at("S3 bucket pets at http://store:8333")) {
      try client(answers).put("k", [1], type: "image/png")
    }
    #expect(answers.requests.count == 1)
  }

  @Test(
    "A passing failure that occurs too often is reported with its last response",
    arguments: [
      (.failure(.passing("reset")), .unreachable(service: "", detail: "reset")),
      (Self.error(503, "SlowDown"), .overloaded(service: "", detail: "HTTP 503, SlowDown")),
      (Self.error(500), .serviceFailed(service: "", detail: "HTTP 500")),
    ] as [(Answers.Answer, StoreError)])
  func tooOften(_ trouble: Answers.Answer, _ expected: StoreError) throws {
    let answers = Answers([trouble])
    #expect(throws: expected.at("S3 bucket pets at http://store:8333")) {
      try client(answers).delete("k")
    }
    #expect(answers.requests.count == 6)
    // A lost connection is not used again.
    #expect(
      answers.requests.last?.usesNewConnection == (answers.requests.count > 1 && trouble.isLost))
  }

  @Test("An overloaded store gets few retries, because they are limited over all operations")
  func budget() throws {
    let answers = Answers([Self.error(503)])
    let client = try client(answers)
    for _ in 0..<20 { #expect(throws: StoreError.self) { try client.delete("k") } }
    #expect(answers.requests.count <= 20 + 12)
  }

  @Test("A missing object is `nil`, and a missing bucket is a failure")
  func absence() throws {
    #expect(try client(Answers([Self.error(404, "NoSuchKey")])).get("k") == nil)
    #expect(try client(Answers([Self.error(404)])).head("k") == nil)
    try client(Answers([Self.error(404, "NoSuchKey")])).delete("k")
    #expect(throws: StoreError.self) {
      try client(Answers([Self.error(404, "NoSuchBucket")])).get("k")
    }
  }

  /// A store whose clock shows midnight and that accepts a difference of less than ten minutes.
  private final class Store: HTTPTransport {
    private let asked = Mutex(0)
    /// The number of first requests that wait for each other before they get a response.
    private let together: Int
    init(together: Int = 1) { self.together = together }

    var count: Int { asked.withLock { $0 } }

    func send(_ request: HTTPRequest) throws(HTTPTransportError) -> HTTPResponse {
      let number = asked.withLock { asked in
        asked += 1
        return asked
      }
      while number <= together, count < together { usleep(1000) }
      let date = request.headers.first { $0.0 == "x-amz-date" }?.1 ?? ""
      guard ["20130523T235", "20130524T000"].contains(String(date.prefix(12))) else {
        return try RetryTests.error(403, "RequestTimeTooSkewed").get()
      }
      return HTTPResponse(status: 204)
    }
  }

  @Test("A clock that is changed while the program runs is corrected each time")
  func changingSkew() throws {
    let midnight = Date(timeIntervalSince1970: 1_369_353_600)
    let store = Store()
    let now = Mutex(midnight - 1200)
    let client = try client(store) { now.withLock { $0 } }
    for (offset, requests) in [(-1200.0, 2), (0, 4), (0, 5), (7200, 7), (7200, 8)] {
      now.withLock { $0 = midnight + offset }
      try client.delete("k")
      #expect(store.count == requests)
    }
  }

  @Test("Two first requests at once both learn the store's clock", .timeLimit(.minutes(1)))
  func skewAtOnce() async throws {
    let store = Store(together: 2)
    let client = try client(store) { Date(timeIntervalSince1970: 1_369_353_600 - 1200) }
    let pool = WorkerPool(threadCount: 2)
    async let one: Void = pool.run { try client.delete("a") }
    async let other: Void = pool.run { try client.delete("b") }
    _ = try await (one, other)
    #expect(store.count == 4)
  }

  @Test("A clock that is too far off is corrected by the store's, once per response")
  func skew() throws {
    let now = Date(timeIntervalSince1970: 1_369_353_600 - 7200)
    let answers = Answers([
      Self.error(403, "RequestTimeTooSkewed"), .success(HTTPResponse(status: 204)),
    ])
    try client(answers, now: now).delete("k")
    #expect(
      answers.requests.map { $0.headers.first { $0.0 == "x-amz-date" }?.1 } == [
        "20130523T220000Z", "20130524T000000Z",
      ])
    let never = Answers([Self.error(403, "RequestTimeTooSkewed")])
    #expect(throws: StoreError.self) { try client(never, now: now).delete("k") }
    #expect(never.requests.count == 2)
  }

  @Test("No request and no error contains the secret")
  func secrecy() throws {
    let answers = Answers([Self.error(403, "AccessDenied")])
    #expect(throws: StoreError.self) { try client(answers).delete("k") }
    #expect(!"\(answers.requests)".contains("hush"))
  }
}

extension Result<HTTPResponse, HTTPTransportError> {
  /// `true` if no response arrived.
  fileprivate var isLost: Bool { if case .failure = self { true } else { false } }
}

extension StoreError {
  /// Returns the error of the same kind for another service.
  fileprivate func at(_ service: String) -> StoreError {
    switch self {
    case .unreachable(_, let detail): .unreachable(service: service, detail: detail)
    case .overloaded(_, let detail): .overloaded(service: service, detail: detail)
    case .serviceFailed(_, let detail, let problem):
      .serviceFailed(service: service, detail: detail, problem: problem)
    default: self
    }
  }
}
