import Foundation
import HTTPClient
import Hashing
package import PhotoAttachments

/// What a store returns about an object without its bytes.
package struct S3Facts: Sendable, Equatable {
  package var sizeBytes: Int
  /// Seconds since 1970, by the store's clock.
  package var modified: Int
  /// Without quotes; most often the MD5 of the bytes.
  package var etag: String
  /// Names it among those that had its key; nil where the store keeps the last one alone.
  package var version: String?
}

extension S3Client {
  /// 512 MiB: the largest file that is taken in.
  private static let maxObjectBytes = 512 << 20

  /// Stores an object whole. The store is given two digests to hold the bytes against: the signed
  /// SHA-256 and `Content-MD5`, which are the most widely kept.
  ///
  /// - Parameter sha256: of the bytes, where it is known.
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
    try done(operation)
  }

  /// An object's bytes, nil when there is none.
  ///
  /// - Parameter usesNewConnection: asks over a new connection.
  package func get(_ key: String, usesNewConnection: Bool = false) throws(StoreError) -> [UInt8]? {
    try fetch(key, nil, usesNewConnection: usesNewConnection)?.bytes
  }

  /// An object's bytes, or some of them, with its facts; nil when there is none.
  ///
  /// - Parameter part: those wanted, as far as the object has them; nil for all.
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
    guard let answer = try found(operation) else { return nil }
    // `bytes 0-65535/1234567` (RFC 9110, section 14.4); a store that knows no ranges sends all.
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

  /// An object's facts without its bytes, nil when there is none.
  package func head(_ key: String) throws(StoreError) -> S3Facts? {
    guard let answer = try found(Operation(method: "HEAD", key: key)) else { return nil }
    guard let size = answer.headers["content-length"].flatMap({ Int($0) }) else {
      throw .serviceFailed(service: address.shown, detail: "no Content-Length")
    }
    let modified = answer.headers["last-modified"].flatMap(CurlTransport.seconds)
    return S3Facts(
      sizeBytes: size, modified: modified ?? 0,
      etag: answer.headers["etag"]?.filter { $0 != "\"" } ?? "", version: Self.version(answer))
  }

  /// A bucket whose versioning was suspended calls each new object `null`, and overwrites that.
  private static func version(_ answer: HTTPResponse) -> String? {
    answer.headers["x-amz-version-id"].flatMap { ["", "null"].contains($0) ? nil : $0 }
  }

  /// Deletes an object; one that is gone is success.
  package func delete(_ key: String) throws(StoreError) {
    _ = try found(Operation(method: "DELETE", key: key))
  }

  /// Deletes the object with these facts, and no other: by its version where the store keeps
  /// versions. Elsewhere it is looked at once more, and the request says that it is about that tag
  /// (`If-Match`); it is sent once, because a repeat may meet another object where that is not heeded.
  ///
  /// - Returns: false when it is gone, or another one is there.
  package func delete(_ key: String, only facts: S3Facts) throws(StoreError) -> Bool {
    var operation = Operation(method: "DELETE", key: key)
    if let version = facts.version {
      operation.query = [("versionId", version)]
      return try found(operation) != nil
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
    if let trouble = S3Failure(answer) { throw trouble.error(address) }
    return true
  }

  /// A page of keys, in their order.
  ///
  /// - Parameter token: where the page before ended (`next`).
  package func list(_ prefix: String, after token: String?) throws(StoreError) -> S3Page {
    var operation = Operation(method: "GET")
    operation.query = [("list-type", "2"), ("encoding-type", "url"), ("prefix", prefix)]
    if let token { operation.query.append(("continuation-token", token)) }
    operation.maxAnswerBytes = 8 << 20
    let body = try done(operation).body
    do throws(SmallXML.Malformed) { return try S3Page(body) } catch {
      throw .serviceFailed(service: address.shown, detail: "a listing that cannot be read")
    }
  }

  /// MD5, the second digest that stores hold bytes against.
  static func md5(_ bytes: [UInt8]) -> (hexadecimal: String, base64: String) {
    let digest = Hashing.md5(bytes)
    return (digest.hexadecimal, Data(digest).base64EncodedString())
  }

  /// Asks for what has to succeed.
  @discardableResult
  func done(_ operation: Operation) throws(StoreError) -> HTTPResponse {
    let answer = try perform(operation)
    if let trouble = S3Failure(answer) { throw trouble.error(address) }
    return answer
  }

  /// Asks for what may not be there. A bucket that is not there is something else.
  private func found(_ operation: Operation) throws(StoreError) -> HTTPResponse? {
    let answer = try perform(operation)
    guard let trouble = S3Failure(answer) else { return answer }
    if trouble.status == 404, trouble.code != "NoSuchBucket" { return nil }
    throw trouble.error(address)
  }
}
