public import Foundation
import Glibc
import Hashing
import PhotoIngestion

/// Signs requests with AWS Signature Version 4 ("Create a signed AWS API request", "Authenticating Requests: Using
/// Query Parameters"). Paths are not normalized, as S3 requires.
struct SigV4: Sendable {
  let keys: S3Credentials
  let region: String
  var service = "s3"

  /// Returns the value of the `Authorization` field.
  ///
  /// - Parameters:
  ///   - path: the percent-encoded path.
  ///   - query: the names and values, not encoded.
  ///   - headers: all fields to sign, with names in lower case. They must include `host`.
  ///   - payload: the SHA-256 of the body.
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

  /// Returns a query in the form in which it is sent and signed: encoded and sorted.
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
      // Runs of spaces count as one.
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

/// The credentials for an object store.
public struct S3Credentials: Sendable {
  /// The public part of the key.
  public let accessKey: String
  /// The secret part of the key. It never appears in errors, logs or arguments.
  let secret: String
  let sessionToken: String?

  /// Creates credentials.
  public init(accessKey: String, secret: String, sessionToken: String? = nil) {
    self.accessKey = accessKey
    self.secret = secret
    self.sessionToken = sessionToken
  }

  /// Reads the keys from `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`. Returns `nil` if one of
  /// the first two is missing.
  public init?(environment: [String: String] = ProcessInfo.processInfo.environment) {
    guard let accessKey = environment["AWS_ACCESS_KEY_ID"], !accessKey.isEmpty,
      let secret = environment["AWS_SECRET_ACCESS_KEY"], !secret.isEmpty
    else { return nil }
    let token = environment["AWS_SESSION_TOKEN"] ?? ""
    self.init(accessKey: accessKey, secret: secret, sessionToken: token.isEmpty ? nil : token)
  }
}

/// The percent-encoding for AWS signatures. It encodes every byte of the UTF-8 except RFC 3986's unreserved characters.
enum PercentCoding {
  private static let unreserved = CharacterSet(
    charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")

  /// Encodes a text.
  ///
  /// - Parameter kept: more characters to leave unchanged, such as `/` in a path.
  static func encoded(_ text: String, keeping kept: String = "") -> String {
    let allowed = unreserved.union(CharacterSet(charactersIn: kept))
    return text.addingPercentEncoding(withAllowedCharacters: allowed) ?? text
  }
}
