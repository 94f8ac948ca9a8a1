import Foundation
import HTTPClient
package import PhotoAttachments
import PhotoIngestion

/// A test of the guarantees that a store keeps, for `petspot doctor`. It creates an object and deletes it again.
package struct S3Probe: Sendable {
  /// The name of each guarantee, in order of importance, and whether the store keeps it.
  ///
  /// Blobs only need the first two. Deleting originals from a bucket without versions also needs `conditionalDelete`: a
  /// DELETE with another object's tag (`If-Match`) must delete nothing.
  package var guarantees: [(name: String, isKept: Bool)] = []
  /// The difference between the store's clock and this machine's in milliseconds, positive if the store's is ahead.
  /// `nil` if the store sends no date.
  package var clockDifference: Int?

  /// Tests a store.
  ///
  /// - Throws: `StoreError.unreachable`, `.overloaded` or `.serviceFailed` if the store can't be used.
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
    guarantees.insert(("readAfterDelete", try client.get(key) == nil), at: 1)
  }

  private mutating func probe(
    _ client: S3Client, _ key: String, _ bytes: [UInt8], _ prefix: String
  ) throws(StoreError) {
    guarantees.append(("readAfterWrite", try client.get(key) == bytes))
    let facts = try client.head(key)
    let isListed = try client.list(prefix, after: nil).entries.contains { $0.key == key }
    let other = Array("other bytes".utf8)
    let wrong = S3Client.md5(bytes).base64
    guarantees += [
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
    guarantees += [
      ("conditionalDelete", !isDeleted && remaining != nil),
      ("tagIsMD5", facts?.etag == S3Client.md5(bytes).hexadecimal),
    ]
  }

  /// Returns `true` if the store reports success for a request.
  private func succeeds(
    _ client: S3Client, _ operation: S3Client.Operation
  ) throws(StoreError) -> Bool {
    do throws(StoreError) {
      return (200..<300).contains(try client.perform(operation).status)
    } catch {
      // A rejected digest counts as transient (`S3Problem.isTransient`) and is thrown as `.serviceFailed`.
      if case .serviceFailed = error { return false }
      throw error
    }
  }

  /// Returns `true` if the store accepts a PUT of these bytes.
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
