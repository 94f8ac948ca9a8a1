import Foundation
package import PhotoAttachments

/// The objects below a prefix of a bucket, as a source of imports. It only deletes objects that the caller names.
package struct S3ObjectSource: ObjectSource {
  private let client: S3Client
  /// The address of the pictures in the cache that is imported into.
  private let own: S3Address?

  package init(_ client: S3Client, own: S3Address?) {
    self.client = client
    self.own = own
  }

  package var addressPrefix: String { "s3://\(client.address.bucket)/" }
  package var origin: String { "s3://\(client.address.host)/\(client.address.bucket)/" }

  package var address: String {
    let address = client.address
    let endpoint = "\(address.scheme)://\(address.host)"
    return "s3://\(address.bucket)/\(address.prefix)?endpoint=\(endpoint)&region=\(address.region)"
  }

  package func page(
    after token: String?
  ) throws(StoreError) -> (objects: [SourceObject], next: String?) {
    let page = try client.list(client.address.prefix, after: token)
    let objects = page.entries.map {
      SourceObject(key: $0.key, sizeBytes: $0.sizeBytes, tag: $0.etag)
    }
    return (objects, page.next)
  }

  package func readObject(
    _ key: String, first count: Int?
  ) throws(StoreError) -> (object: SourceObject, bytes: [UInt8])? {
    guard let (facts, bytes) = try client.fetch(key, count.map { 0..<$0 }) else { return nil }
    let object = SourceObject(
      key: key, sizeBytes: facts.sizeBytes, tag: facts.etag, version: facts.version)
    return (object, bytes)
  }

  package func delete(_ object: SourceObject) throws(StoreError) -> Bool {
    try client.delete(
      object.key,
      only: S3Facts(
        sizeBytes: object.sizeBytes, modified: 0, etag: object.tag, version: object.version))
  }

  /// Returns `true` if a key is that of a stored picture. The key's shape counts too, because a host may have several
  /// names. Pictures of other caches are skipped, as they are in folders.
  package func belongsToCache(_ key: String) -> Bool {
    if S3BlobStorage.isPicture(key) { return true }
    guard let own, own.host == client.address.host, own.bucket == client.address.bucket else {
      return false
    }
    return BlobPath.Kind.allCases.contains { key.hasPrefix(own.prefix + $0.rawValue + "/") }
  }
}
