import Foundation
import HTTPClient
import Hashing
package import PhotoAttachments

/// The facts about an object that a store returns without its bytes.
package struct S3Facts: Sendable, Equatable {
  package var sizeBytes: Int
  /// The time of the last change in seconds since 1970, by the store's clock.
  package var modified: Int
  /// The entity tag without quotes, usually the MD5 of the bytes.
  package var etag: String
  /// The version among all objects that had this key, or `nil` if the store keeps only the last one.
  package var version: String?
}

extension S3Client {
  /// The size of the largest file that is imported, 512 MiB.
  private static let maxObjectBytes = 512 << 20

  /// Stores an object in one request. The store can check the bytes against two digests: the signed SHA-256 and
  /// `Content-MD5`, which most stores support.
  ///
  /// - Parameter sha256: the digest of the bytes, if it is known.
  package func put(
    _ key: String, _ bytes: [UInt8], sha256: String? = nil, type: String
  ) throws(StoreError) {
    var operation = Operation(method: "PUT", key: key)
    operation.headers = [
      ("content-md5", Self.md5(bytes).base64),
      ("content-type", type),
    ]
    operation.body = bytes
    operation.load = bytes.count
    operation.digest = sha256
    try performOrThrow(operation)
  }

  /// Returns an object's bytes, or `nil` if it doesn't exist.
  ///
  /// - Parameter usesNewConnection: `true` to send the request over a new connection.
  package func get(_ key: String, usesNewConnection: Bool = false) throws(StoreError) -> [UInt8]? {
    try fetch(key, nil, usesNewConnection: usesNewConnection)?.bytes
  }

  /// Returns an object's facts and its bytes or a part of them, or `nil` if it doesn't exist.
  ///
  /// - Parameter part: the range of bytes to return, clamped to the object's size. `nil` returns all.
  package func fetch(
    _ key: String, _ part: Range<Int>?, usesNewConnection: Bool = false
  ) throws(StoreError) -> (facts: S3Facts, bytes: [UInt8])? {
    var operation = Operation(method: "GET", key: key)
    operation.maxAnswerBytes = Self.maxObjectBytes
    operation.load = part?.count ?? 8 << 20
    operation.usesNewConnection = usesNewConnection
    if let part {
      operation.headers = [("range", "bytes=\(part.lowerBound)-\(part.upperBound - 1)")]
    }
    guard let answer = try performUnlessMissing(operation) else { return nil }
    // `bytes 0-65535/1234567` (RFC 9110, section 14.4). A store that doesn't support ranges sends all bytes.
    let range = answer.headers["content-range"]?.split(separator: "/").last
    let size = range.flatMap { Int($0) } ?? answer.body.count
    let etag = answer.headers["etag"]?.filter { $0 != "\"" } ?? ""
    let bytes =
      if let part, answer.status != 206 {
        Array(answer.body.dropFirst(part.lowerBound).prefix(part.count))
      } else {
        answer.body
      }
    let facts = S3Facts(
      sizeBytes: size, modified: 0, etag: etag, version: Self.version(answer))
    return (facts, bytes)
  }

  /// Returns an object's facts, or `nil` if it doesn't exist.
  package func head(_ key: String) throws(StoreError) -> S3Facts? {
    guard let answer = try performUnlessMissing(Operation(method: "HEAD", key: key)) else {
      return nil
    }
    guard let size = answer.headers["content-length"].flatMap({ Int($0) }) else {
      throw .serviceFailed(service: address.shown, detail: "no Content-Length")
    }
    let modified = answer.headers["last-modified"].flatMap(CurlTransport.seconds)
    return S3Facts(
      sizeBytes: size, modified: modified ?? 0,
      etag: answer.headers["etag"]?.filter { $0 != "\"" } ?? "", version: Self.version(answer))
  }

  /// Returns the version in a response. A bucket with suspended versioning names each new object `null` and overwrites
  /// it, so `null` isn't a version.
  private static func version(_ answer: HTTPResponse) -> String? {
    answer.headers["x-amz-version-id"].flatMap { ["", "null"].contains($0) ? nil : $0 }
  }

  /// Deletes an object. Succeeds if it doesn't exist.
  package func delete(_ key: String) throws(StoreError) {
    _ = try performUnlessMissing(Operation(method: "DELETE", key: key))
  }

  /// Deletes the object with these facts only.
  ///
  /// If the store keeps versions, the object is deleted by its version. Otherwise its facts are checked again, and the
  /// request is limited to its tag (`If-Match`). That request is sent only once: if the store ignores `If-Match`, a
  /// repeat could delete another object.
  ///
  /// - Returns: `false` if the object is gone or has been replaced.
  package func delete(_ key: String, only facts: S3Facts) throws(StoreError) -> Bool {
    var operation = Operation(method: "DELETE", key: key)
    if let version = facts.version {
      operation.query = [("versionId", version)]
      return try performUnlessMissing(operation) != nil
    }
    guard !facts.etag.isEmpty else {
      throw .serviceFailed(service: address.shown, detail: "no ETag")
    }
    guard let now = try head(key), (now.etag, now.sizeBytes) == (facts.etag, facts.sizeBytes) else {
      return false
    }
    operation.headers = [("if-match", "\"\(facts.etag)\"")]
    operation.tries = 1
    let answer = try perform(operation)
    if answer.status == 404 || answer.status == 412 { return false }
    if let problem = S3Problem(answer) { throw problem.error(address) }
    return true
  }

  /// Returns a page of keys in their order.
  ///
  /// - Parameter token: the `next` of the previous page.
  package func list(_ prefix: String, after token: String?) throws(StoreError) -> S3Page {
    var operation = Operation(method: "GET")
    operation.query = [("list-type", "2"), ("encoding-type", "url"), ("prefix", prefix)]
    if let token { operation.query.append(("continuation-token", token)) }
    operation.maxAnswerBytes = 8 << 20
    let body = try performOrThrow(operation).body
    do throws(SmallXML.Malformed) { return try S3Page(body) } catch {
      throw .serviceFailed(service: address.shown, detail: "a listing that cannot be read")
    }
  }

  /// Returns the MD5 of some bytes, the second digest that stores check.
  static func md5(_ bytes: [UInt8]) -> (hexadecimal: String, base64: String) {
    let digest = Hashing.md5(bytes)
    return (digest.hexadecimal, Data(digest).base64EncodedString())
  }

  /// Performs an operation and throws if it fails.
  @discardableResult
  func performOrThrow(_ operation: Operation) throws(StoreError) -> HTTPResponse {
    let answer = try perform(operation)
    if let problem = S3Problem(answer) { throw problem.error(address) }
    return answer
  }

  /// Performs an operation and returns `nil` if the object doesn't exist. A missing bucket is an error.
  private func performUnlessMissing(_ operation: Operation) throws(StoreError) -> HTTPResponse? {
    let answer = try perform(operation)
    guard let problem = S3Problem(answer) else { return answer }
    if problem.status == 404, problem.code != "NoSuchBucket" { return nil }
    throw problem.error(address)
  }
}
