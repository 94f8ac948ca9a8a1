public import Foundation
import Glibc
import Hashing
import PhotoIngestion

/// AWS Signature Version 4 ("Create a signed AWS API request", "Authenticating Requests: Using Query
/// Parameters"), for paths that are not made shorter, as S3 asks.
struct SigV4: Sendable {
  let keys: S3Credentials
  let region: String
  var service = "s3"

  /// The value of `Authorization`.
  ///
  /// - Parameters:
  ///   - path: percent-encoded.
  ///   - query: names and values as they mean, not encoded.
  ///   - headers: all that are signed, by their names in lower case; `host` is one of them.
  ///   - payload: SHA-256 of the body.
  func authorization(
    _ method: String, path: String, query: [(String, String)], headers: [(String, String)],
    payload: String, at date: SigningDate
  ) -> String {
    let signed = Self.names(headers)
    let signature = signature(
      Self.canonical(method, path: path, query: query, headers: headers, payload: payload), date)
    return
      "AWS4-HMAC-SHA256 Credential=\(keys.accessKey)/\(scope(date)), SignedHeaders=\(signed), "
      + "Signature=\(signature)"
  }

  /// A query as it is sent and signed: encoded and sorted.
  static func canonical(_ query: [(String, String)]) -> String {
    query.map { (PercentCoding.encoded($0.0), PercentCoding.encoded($0.1)) }
      .sorted { ($0.0, $0.1) < ($1.0, $1.1) }
      .map { "\($0.0)=\($0.1)" }.joined(separator: "&")
  }

  private func scope(_ date: SigningDate) -> String {
    "\(date.day)/\(region)/\(service)/aws4_request"
  }

  private static func names(_ headers: [(String, String)]) -> String {
    headers.map(\.0).sorted().joined(separator: ";")
  }

  private static func canonical(
    _ method: String, path: String, query: [(String, String)], headers: [(String, String)],
    payload: String
  ) -> String {
    let lines = headers.sorted { $0.0 < $1.0 }.map { name, value in
      // Blanks in a row count as one.
      "\(name):\(value.split(separator: " ").joined(separator: " "))\n"
    }
    return """
      \(method)
      \(path)
      \(canonical(query))
      \(lines.joined())
      \(names(headers))
      \(payload)
      """
  }

  private func signature(_ request: String, _ date: SigningDate) -> String {
    let text = """
      AWS4-HMAC-SHA256
      \(date.time)
      \(scope(date))
      \(sha256(of: Array(request.utf8)))
      """
    var key = Array("AWS4\(keys.secret)".utf8)
    for part in [date.day, region, service, "aws4_request"] {
      key = hmac(Array(part.utf8), key: key)
    }
    return hmac(Array(text.utf8), key: key).hexadecimal
  }
}

/// Who we are to a store of objects.
public struct S3Credentials: Sendable {
  /// The key's public part.
  public let accessKey: String
  /// Never in an error, a log or an argument.
  let secret: String
  let sessionToken: String?

  /// Makes credentials of keys.
  public init(accessKey: String, secret: String, sessionToken: String? = nil) {
    self.accessKey = accessKey
    self.secret = secret
    self.sessionToken = sessionToken
  }

  /// The keys of `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`, nil without
  /// one of the first two.
  public init?(environment: [String: String] = ProcessInfo.processInfo.environment) {
    guard let accessKey = environment["AWS_ACCESS_KEY_ID"], !accessKey.isEmpty,
      let secret = environment["AWS_SECRET_ACCESS_KEY"], !secret.isEmpty
    else { return nil }
    let token = environment["AWS_SESSION_TOKEN"] ?? ""
    self.init(accessKey: accessKey, secret: secret, sessionToken: token.isEmpty ? nil : token)
  }
}

/// Percent-encoding as AWS signs it: all but RFC 3986's unreserved characters, by the bytes of UTF-8.
enum PercentCoding {
  private static let unreserved = CharacterSet(
    charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")

  /// - Parameter kept: characters that stay as they are, as `/` does in a path.
  static func encoded(_ text: String, keeping kept: String = "") -> String {
    let allowed = unreserved.union(CharacterSet(charactersIn: kept))
    return text.addingPercentEncoding(withAllowedCharacters: allowed) ?? text
  }
}
