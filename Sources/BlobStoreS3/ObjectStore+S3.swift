public import PhotoAttachments

extension ObjectStore {
  /// Creates a store of pictures in an S3-compatible bucket. Doesn't connect yet.
  ///
  /// - Parameters:
  ///   - address: `s3://BUCKET[/PREFIX]?endpoint=URL&region=NAME`. Without an endpoint, the bucket is at Amazon.
  ///   - keys: the credentials, or `nil` if they are missing, which is an error.
  /// - Throws: `StoreError.serviceFailed`, whose `problem` is `.badAddress` or `.missingKeys`.
  public static func s3(
    _ address: String, keys: S3Credentials? = S3Credentials()
  ) throws(StoreError) -> ObjectStore {
    let client = try S3Client(at: address, keys: keys)
    return ObjectStore(place: client.address.place) { S3BlobStorage(client, ledger: $0) }
  }
}

extension S3Client {
  /// Creates a client for the bucket at an address. Doesn't connect yet.
  package convenience init(
    at text: String, keys: S3Credentials? = S3Credentials()
  ) throws(StoreError) {
    let address: S3Address
    do { address = try S3Address(text) } catch {
      throw .serviceFailed(
        service: "S3", detail: Self.sentence(about: error), problem: .badAddress)
    }
    guard let keys else {
      throw .serviceFailed(service: "S3", detail: Self.missingKeys, problem: .missingKeys)
    }
    self.init(address, keys: keys)
  }

  /// Returns a sentence about what is wrong with an address or the keys, or `nil` if both are valid.
  package static func problem(
    of text: String, keys: S3Credentials? = S3Credentials()
  ) -> String? {
    do throws(S3Address.Problem) {
      _ = try S3Address(text)
      return keys == nil ? missingKeys : nil
    } catch { return sentence(about: error) }
  }

  private static let missingKeys =
    "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to the keys of the object store."

  private static func sentence(about problem: S3Address.Problem) -> String {
    "This isn't the address of an object store. " + problem.sentence
  }
}
