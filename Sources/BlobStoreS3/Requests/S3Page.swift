import Foundation

/// A page of a bucket's listing.
package struct S3Page: Sendable, Equatable {
  package struct Entry: Sendable, Equatable {
    package var key: String
    package var sizeBytes: Int
    /// The entity tag without quotes, or empty if the store doesn't report it.
    package var etag = ""
  }

  package var entries: [Entry] = []
  /// The token of the next page, or `nil` at the end.
  package var next: String?

  /// Parses the response to `ListObjectsV2` with `encoding-type=url`.
  ///
  /// - Throws: `SmallXML.Malformed` if the listing is incomplete or invalid.
  init(_ bytes: [UInt8]) throws(SmallXML.Malformed) {
    let root = try SmallXML(parsing: bytes)
    guard root.name == "ListBucketResult" else { throw SmallXML.Malformed() }
    let isEncoded = root["EncodingType"]?.text == "url"
    for item in root.children where item.name == "Contents" {
      guard let text = item["Key"]?.text, let size = (item["Size"]?.text).flatMap({ Int($0) }),
        let key = isEncoded
          ? text.replacing("+", with: " ").removingPercentEncoding : text
      else { throw SmallXML.Malformed() }
      let etag = (item["ETag"]?.text ?? "").filter { $0 != "\"" }
      entries.append(Entry(key: key, sizeBytes: size, etag: etag))
    }
    guard root["IsTruncated"]?.text == "true" else { return }
    guard let token = root["NextContinuationToken"]?.text, !token.isEmpty else {
      throw SmallXML.Malformed()
    }
    next = token
  }
}
