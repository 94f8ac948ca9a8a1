import CCurl
import Glibc
import Synchronization

/// An HTTP client on top of the system's libcurl, which is loaded for the first request. It blocks; `HTTPConnection` is
/// the asynchronous variant.
///
/// It verifies certificates and reuses connections. It has no cache, no cookies and no stored passwords, and follows a
/// redirect only if the request asks for it.
package final class CurlTransport: HTTPTransport {
  /// A libcurl handle, used by one thread at a time.
  private struct Handle: @unchecked Sendable {  // removed from `idle` while in use
    let curl: OpaquePointer
  }

  private let idle = Mutex<[Handle]>([])

  package init() {}

  deinit { idle.withLock { for handle in $0 { petspot_curl_free(handle.curl) } } }

  /// The versions of libcurl and its TLS library, or `nil` if libcurl can't be loaded.
  package static var version: String? {
    petspot_curl_open() == nil ? String(cString: petspot_curl_version()) : nil
  }

  /// Parses an HTTP date in any of the three formats that recipients must accept (RFC 9110, 5.6.7). Returns seconds
  /// since 1970, or `nil` for any other text.
  package static func seconds(of date: String) -> Int? {
    guard petspot_curl_open() == nil else { return nil }
    let seconds = petspot_curl_seconds(date)
    return seconds == -1 ? nil : seconds
  }

  package func send(_ request: HTTPRequest) throws(HTTPTransportError) -> HTTPResponse {
    try send(request) { false }
  }

  /// Sends one request without retries.
  ///
  /// - Parameter isCancelled: a closure that is called at least once a second. The request ends if it returns `true`.
  func send(
    _ request: HTTPRequest, until isCancelled: () -> Bool
  ) throws(HTTPTransportError) -> HTTPResponse {
    if let problem = petspot_curl_open() {
      throw .permanent("\(String(cString: problem)); install it with: apt install libcurl4")
    }
    guard let handle = idle.withLock({ $0.popLast() }) ?? petspot_curl_make().map(Handle.init)
    else {
      throw .passing("out of memory")
    }
    var answer = petspot_curl_answer()
    Self.perform(handle.curl, request, isCancelled, &answer)
    defer { petspot_curl_drop(&answer) }
    guard answer.code == 0 else {
      // After a body that was cut off, libcurl 8 would try to rewind it for every later request of the handle.
      petspot_curl_free(handle.curl)
      let why = withUnsafeBytes(of: answer.why) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      throw HTTPTransportError(
        isPermanent: Self.permanentCodes.contains(answer.code), words: why,
        kind: Self.kinds[answer.code] ?? .connection)
    }
    idle.withLock { $0.append(handle) }
    let lines = answer.headers.map {
      String(
        decoding: UnsafeRawBufferPointer(start: $0, count: answer.headers_size), as: UTF8.self)
    }
    return HTTPResponse(
      status: answer.status, headers: Self.headers(lines ?? ""),
      body: Array(UnsafeBufferPointer(start: answer.body, count: answer.body_size)))
  }

  /// The codes of failures that a retry can't fix: unsupported protocol, malformed URL, invalid certificate, unusable
  /// TLS engine or cipher, response too long (curl/curl.h).
  private static let permanentCodes: Set<Int32> = [1, 3, 23, 53, 58, 59, 60, 66, 77, 83, 91]

  /// The codes of failures that have messages of their own (curl/curl.h).
  private static let kinds: [Int32: HTTPTransportError.Kind] = [
    1: .address, 3: .address, 6: .name, 23: .length, 28: .time, 42: .cancelled, 51: .certificate,
    58: .certificate, 60: .certificate, 77: .certificate, 83: .certificate, 91: .certificate,
  ]

  private static func perform(
    _ curl: OpaquePointer, _ request: HTTPRequest, _ isCancelled: () -> Bool,
    _ answer: inout petspot_curl_answer
  ) {
    // An empty field stops libcurl from adding its own.
    let given = request.headers.map { $0.0.lowercased() }
    let lines =
      request.headers.map { "\($0.0): \($0.1)" }
      + ["accept", "expect", "content-type"].filter { !given.contains($0) }.map { $0 + ":" }
    let texts = lines.map { strdup($0) }
    defer { for text in texts { free(text) } }
    request.method.withCString { method in
      request.url.withCString { url in
        texts.map { UnsafePointer($0) }.withUnsafeBufferPointer { headers in
          (request.body ?? []).withUnsafeBytes { body in
            var question = petspot_curl_request()
            question.method = method
            question.url = url
            question.headers = headers.baseAddress
            question.header_count = headers.count
            if request.body != nil {
              question.body = body.baseAddress ?? UnsafeRawPointer(url)
              question.body_size = body.count
            }
            question.timeout_ms = request.milliseconds
            question.connect_ms =
              request.milliseconds == 0 ? 20_000 : min(5000, request.milliseconds)
            question.silence_s = request.silentSeconds
            question.longest = request.maxAnswerBytes
            question.is_once = request.isSentOnce ? 1 : 0
            question.is_fresh = request.usesNewConnection ? 1 : 0
            question.redirects = request.followsRedirects ? 5 : 0
            question.is_cancelled = {
              $0?.assumingMemoryBound(to: (() -> Bool).self).pointee() == true ? 1 : 0
            }
            withoutActuallyEscaping(isCancelled) { isCancelled in
              var isCancelled = isCancelled
              withUnsafeMutablePointer(to: &isCancelled) {
                question.context = UnsafeMutableRawPointer($0)
                petspot_curl_ask(curl, &question, &answer)
              }
            }
          }
        }
      }
    }
  }

  private static func headers(_ text: String) -> [String: String] {
    var headers: [String: String] = [:]
    for line in text.split(whereSeparator: \.isNewline) {
      let pair = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      guard pair.count == 2 else {
        // The fields so far belonged to an informational response.
        if line.hasPrefix("HTTP/") { headers = [:] }
        continue
      }
      headers[pair[0].lowercased()] = pair[1].trimming { $0 == " " || $0 == "\t" }
    }
    return headers
  }
}

extension Substring {
  fileprivate func trimming(_ isBlank: (Character) -> Bool) -> String {
    var rest = self.drop(while: isBlank)
    while let last = rest.last, isBlank(last) { rest.removeLast() }
    return String(rest)
  }
}
