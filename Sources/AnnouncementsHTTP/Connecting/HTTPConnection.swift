import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One question to a server.
struct HTTPRequest: Sendable {
  var method = "GET"
  var url: URL
  var fields: [String: String] = [:]
  var body: Data?
}

/// What a server answered.
struct HTTPAnswer: Sendable {
  /// The status.
  let status: Int
  /// The header fields by their names in lower case.
  let fields: [String: String]
  /// The body, at most `HTTPConnection.longestAnswer` bytes.
  let body: Data
}

/// Why there is no answer.
enum ConnectionFailure: Error {
  /// The connection was lost, or there was none; another try may succeed.
  case passing(String)
  /// Another try fails the same way: a certificate that does not hold, an answer without an end.
  case lasting(String)
}

/// Asks a server, without cache, cookies, kept passwords and redirects: nothing is written outside
/// the cache folder, and credentials go to nobody but the server that was named. The platform
/// verifies certificates.
final class HTTPConnection: Sendable {
  /// 8 MiB: a list of 100 announcements has a hundredth of it.
  static let longestAnswer = 8 << 20

  private let session: URLSession
  private let answers = Answers()

  /// A connection that is made with the first question.
  ///
  /// - Parameter patience: seconds without a sign of life; a photo may take that long to be looked
  ///   at once it has arrived.
  init(patience: TimeInterval = 60) {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    configuration.httpCookieStorage = nil
    configuration.urlCredentialStorage = nil
    configuration.timeoutIntervalForRequest = patience
    session = URLSession(configuration: configuration, delegate: answers, delegateQueue: nil)
  }

  deinit { session.finishTasksAndInvalidate() }

  /// Asks once.
  ///
  /// - Throws: `ConnectionFailure`, `CancellationError`.
  func send(_ request: HTTPRequest) async throws -> HTTPAnswer {
    var message = URLRequest(url: request.url)
    message.httpMethod = request.method
    message.timeoutInterval = session.configuration.timeoutIntervalForRequest
    message.httpBody = request.body
    message.setValue("application/json", forHTTPHeaderField: "Accept")
    message.setValue("petspot", forHTTPHeaderField: "User-Agent")
    for (name, value) in request.fields { message.setValue(value, forHTTPHeaderField: name) }
    let task = session.dataTask(with: message)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        answers.expect(of: task.taskIdentifier, continuation)
        task.resume()
      }
    } onCancel: {
      task.cancel()
    }
  }
}

/// Collects what the session hears.
private final class Answers: NSObject, URLSessionDataDelegate, Sendable {
  private struct Pending {
    let continuation: CheckedContinuation<HTTPAnswer, any Error>
    var body = Data()
    var isTooLong = false
  }

  private let pending = Mutex<[Int: Pending]>([:])

  func expect(of task: Int, _ continuation: CheckedContinuation<HTTPAnswer, any Error>) {
    pending.withLock { $0[task] = Pending(continuation: continuation) }
  }

  /// No redirect is followed; it is an answer like any other.
  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
    completionHandler: @escaping (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    let isTooLong = pending.withLock { pending in
      let id = dataTask.taskIdentifier
      pending[id]?.body.append(data)
      let isTooLong = pending[id].map { $0.body.count > HTTPConnection.longestAnswer } ?? false
      if isTooLong { pending[id]?.isTooLong = true }
      return isTooLong
    }
    if isTooLong { dataTask.cancel() }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    let found = pending.withLock { $0.removeValue(forKey: task.taskIdentifier) }
    guard let found else { return }
    found.continuation.resume(with: Result { try Self.answer(to: task, found, error) })
  }

  private static func answer(
    to task: URLSessionTask, _ pending: Pending, _ error: (any Error)?
  ) throws -> HTTPAnswer {
    if pending.isTooLong { throw ConnectionFailure.lasting("answered without an end") }
    if let error { throw failure(error) }
    guard let response = task.response as? HTTPURLResponse else {
      throw ConnectionFailure.passing("did not answer")
    }
    var fields: [String: String] = [:]
    for (name, value) in response.allHeaderFields {
      fields["\(name)".lowercased()] = "\(value)"
    }
    return HTTPAnswer(status: response.statusCode, fields: fields, body: pending.body)
  }

  private static func failure(_ error: any Error) -> any Error {
    guard let error = error as? URLError else {
      return ConnectionFailure.passing("cannot be reached")
    }
    switch error.code {
    case .cancelled: return CancellationError()
    case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
      .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
      .clientCertificateRequired:
      return ConnectionFailure.lasting("has a certificate that does not hold")
    case .badURL, .unsupportedURL: return ConnectionFailure.lasting("is no address of a server")
    case .timedOut: return ConnectionFailure.passing("does not answer in time")
    case .cannotFindHost, .dnsLookupFailed:
      return ConnectionFailure.passing("has a name that is not known")
    // On Linux a certificate that does not hold has a code of its own only in curl's words.
    case .unknown where error.localizedDescription.lowercased().contains("certificate"):
      return ConnectionFailure.lasting("has a certificate that does not hold")
    default: return ConnectionFailure.passing("cannot be reached")
    }
  }
}
