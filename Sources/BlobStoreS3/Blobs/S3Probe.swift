import Foundation
import HTTPClient
package import PhotoAttachments
import PhotoIngestion

/// Which guarantees of S3 a store keeps, tried out with an object that is deleted again.
package struct S3Probe: Sendable {
  /// Each guarantee by a word, in the order of their weight, and whether the store keeps it.
  ///
  /// Blobs need the first two only. Deleting originals from a bucket without versions also needs
  /// `conditionalDelete`: a DELETE with another object's tag (`If-Match`) must delete nothing.
  package var promises: [(name: String, isKept: Bool)] = []
  /// Milliseconds that the store's clock is ahead of this machine's, nil when it sends no date.
  package var clockDifference: Int?

  /// Tries a store out.
  ///
  /// - Throws: `StoreError.unreachable`, `.overloaded`, `.serviceFailed`: then it cannot be used.
  package init(_ client: S3Client) throws(StoreError) {
    let prefix = client.address.prefix + "probe/"
    let key = prefix + UUID().uuidString.lowercased()
    let bytes = Array("This object was made by petspot doctor and can be deleted.\n".utf8)
    try client.put(key, bytes, type: "text/plain")
    do throws(StoreError) {
      try probe(client, key, bytes, prefix)
    } catch {
      try? client.delete(key)
      throw error
    }
    try client.delete(key)
    promises.insert(("readAfterDelete", try client.get(key) == nil), at: 1)
  }

  private mutating func probe(
    _ client: S3Client, _ key: String, _ bytes: [UInt8], _ prefix: String
  ) throws(StoreError) {
    promises.append(("readAfterWrite", try client.get(key) == bytes))
    let facts = try client.head(key)
    let isListed = try client.list(prefix, after: nil).entries.contains { $0.key == key }
    let other = Array("other bytes".utf8)
    let wrong = S3Client.md5(bytes).base64
    promises += [
      ("refusesWrongMD5", try !acceptsPut(client, key, other, [("content-md5", wrong)])),
      ("refusesWrongSHA256", try !acceptsPut(client, key, other, [], digest: sha256(of: bytes))),
      ("listAfterWrite", isListed),
      ("conditionalWrite", try !acceptsPut(client, key, bytes, [("if-none-match", "*")])),
    ]
    clockDifference = try client.clockDifference(key)
    var deletion = S3Client.Operation(method: "DELETE", key: key)
    let otherTag = String(repeating: "0", count: 32)
    deletion.headers = [("if-match", "\"\(otherTag)\"")]
    deletion.tries = 1
    let isDeleted = try succeeds(client, deletion)
    let remaining = try client.head(key)
    promises += [
      ("conditionalDelete", !isDeleted && remaining != nil),
      ("tagIsMD5", facts?.etag == S3Client.md5(bytes).hexadecimal),
    ]
  }

  /// Whether the store answers a request with success.
  private func succeeds(
    _ client: S3Client, _ operation: S3Client.Operation
  ) throws(StoreError) -> Bool {
    do throws(StoreError) {
      return (200..<300).contains(try client.perform(operation).status)
    } catch {
      // A refused digest counts as a failure that may pass (`S3Failure.isTransient`), so it is thrown.
      if case .serviceFailed = error { return false }
      throw error
    }
  }

  /// Whether the store accepts a PUT of these bytes.
  private func acceptsPut(
    _ client: S3Client, _ key: String, _ bytes: [UInt8], _ headers: [(String, String)],
    digest: String? = nil
  ) throws(StoreError) -> Bool {
    var operation = S3Client.Operation(method: "PUT", key: key)
    operation.headers = headers
    operation.body = bytes
    operation.tries = 1
    operation.headers.append(("content-type", "text/plain"))
    operation.digest = digest
    return try succeeds(client, operation)
  }
}
