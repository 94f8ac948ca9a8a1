public import PhotoAttachments

extension ObjectStore {
  /// Keeps pictures in a bucket of an S3-compatible store. Nothing is asked of it yet.
  ///
  /// - Parameters:
  ///   - address: `s3://BUCKET[/PREFIX]?endpoint=URL&region=NAME`; without an endpoint the bucket is Amazon's.
  ///   - keys: who we are to the store; nil when it isn't known.
  /// - Throws: `StoreError.serviceFailed`, whose `detail` says what is wrong with the address or the keys.
  public static func s3(
    _ address: String, keys: S3Credentials? = S3Credentials()
  ) throws(StoreError) -> ObjectStore {
    let client = try S3Client(at: address, keys: keys)
    return ObjectStore(place: client.address.place) { S3BlobStorage(client, ledger: $0) }
  }
}

extension S3Client {
  /// Makes the client of the bucket at an address. It asks nothing yet.
  package convenience init(
    at text: String, keys: S3Credentials? = S3Credentials()
  ) throws(StoreError) {
    guard let address = try? S3Address(text), let keys else {
      throw .serviceFailed(service: "S3", detail: Self.problem(of: text, keys: keys) ?? "")
    }
    self.init(address, keys: keys)
  }

  /// What is wrong with an address, or with the keys, in a sentence; nil when nothing is.
  package static func problem(
    of text: String, keys: S3Credentials? = S3Credentials()
  ) -> String? {
    do throws(S3Address.Problem) {
      _ = try S3Address(text)
      return keys == nil
        ? "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to the keys of the object store." : nil
    } catch { return "This isn't the address of an object store. " + error.sentence }
  }
}
