import Foundation

/// The address of a bucket: `s3://BUCKET[/PREFIX]?endpoint=URL&region=NAME`. Requests use path-style URLs. An address
/// contains no secrets.
package struct S3Address: Sendable, Equatable {
  package let bucket: String
  /// The common beginning of all keys: empty, or ending with a slash.
  package let prefix: String
  /// `http` or `https`.
  package let scheme: String
  /// The host, with its port if it isn't the default of the scheme.
  package let host: String
  package let region: String
  /// `true` if the address has an endpoint. Otherwise the store is Amazon's.
  private let hasEndpoint: Bool

  /// The reasons why an address is invalid.
  package enum Problem: Error, Equatable {
    case noS3, noBucket, badBucket, badPrefix, badEndpoint, badRegion, hasKeys
    case unknown(String)

    /// A sentence that explains how to correct the address.
    package var sentence: String {
      switch self {
      case .noS3: "It has to begin with s3://, as in s3://BUCKET/PREFIX?endpoint=URL&region=NAME."
      case .noBucket: "Name a bucket: s3://BUCKET."
      case .badBucket:
        "A bucket's name has 3 to 63 lower-case letters, digits, dots and hyphens."
      case .badPrefix: "A prefix is made of letters, digits and ! - _ . * ' ( ) between slashes."
      case .badEndpoint: "endpoint has to be http://HOST:PORT or https://HOST:PORT, without a path."
      case .badRegion: "A region's name has letters, digits and hyphens."
      case .hasKeys:
        "Keys do not belong there: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY instead."
      case .unknown(let name): "It takes endpoint and region, not \(name)."
      }
    }
  }

  /// Parses an address. The default endpoint is that of AWS in the region, and the default region is `us-east-1`.
  package init(_ text: String) throws(Problem) {
    guard text.hasPrefix("s3://") else { throw .noS3 }
    let parts = text.dropFirst(5).split(
      separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    if parts[0].contains("@") { throw .hasKeys }
    let names = parts[0].split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard !names[0].isEmpty else { throw .noBucket }
    guard Self.isBucket(names[0]) else { throw .badBucket }
    var folders = Array(names.dropFirst())
    if folders.last == "" { folders.removeLast() }
    guard folders.allSatisfy(Self.isFolder), text.utf8.count < 600 else { throw .badPrefix }
    var region = "us-east-1"
    var endpoint: String?
    for item in parts.count == 2 ? parts[1].split(separator: "&") : [] {
      let pair = item.split(separator: "=", maxSplits: 1).map(String.init)
      let value = (pair.count == 2 ? pair[1] : "").removingPercentEncoding ?? ""
      switch pair.first {
      case "region":
        let isName = value.utf8.allSatisfy(Self.isPlain)
        guard isName, !value.isEmpty else { throw .badRegion }
        region = value
      case "endpoint": endpoint = value
      default: throw .unknown(pair.first ?? "")
      }
    }
    let url = URL(string: endpoint ?? "https://s3.\(region).amazonaws.com")
    guard let url, let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme),
      let name = url.host(percentEncoded: true)?.lowercased(), !name.isEmpty,
      ["", "/"].contains(url.path), url.query == nil, url.fragment == nil
    else { throw .badEndpoint }
    if url.user != nil || url.password != nil { throw .hasKeys }
    let host = name.contains(":") ? "[\(name)]" : name
    let ownPort = scheme == "http" ? 80 : 443
    self.host = url.port.flatMap { $0 == ownPort ? nil : "\(host):\($0)" } ?? host
    bucket = names[0]
    hasEndpoint = endpoint != nil
    self.scheme = scheme
    self.region = region
    prefix = folders.isEmpty ? "" : folders.joined(separator: "/") + "/"
  }

  /// The bucket and prefix without the endpoint. It is the same in all processes, whatever address they use to reach
  /// the store.
  package var place: String { "s3://\(bucket)/\(prefix)" }

  /// The store's description in messages.
  package var shown: String {
    "S3 bucket \(bucket) at \(scheme)://\(host)"
      + (hasEndpoint ? "" : " (Amazon's, because the address has no endpoint=)")
  }

  /// Returns the percent-encoded path of an object.
  func path(_ key: String) -> String {
    "/" + bucket + (key.isEmpty ? "" : "/" + PercentCoding.encoded(key, keeping: "/"))
  }

  private static func isBucket(_ name: String) -> Bool {
    (3...63).contains(name.utf8.count)
      && name.utf8.allSatisfy {
        isPlain($0) && !(65...90).contains($0) || $0 == UInt8(ascii: ".")
      }
  }

  /// Returns `true` for letters, digits and hyphens.
  private static func isPlain(_ byte: UInt8) -> Bool {
    (97...122).contains(byte) || (65...90).contains(byte) || (48...57).contains(byte)
      || byte == UInt8(ascii: "-")
  }

  private static func isFolder(_ name: String) -> Bool {
    !name.isEmpty && name != "." && name != ".."
      && name.utf8.allSatisfy { isPlain($0) || Array("!_.*'()".utf8).contains($0) }
  }
}
