import BlobStoreS3
import Foundation
import HTTPClient
package import PhotoAttachments

extension Stores {
  /// The variable that names a store of objects; servers get theirs by it.
  package static let blobsVariable = "PETSPOT_BLOBS"

  /// The address of the store that keeps blobs: `given`, else `PETSPOT_BLOBS`; nil for the cache folder.
  package static func blobsAddress(given: String? = nil) -> String? {
    given ?? named(by: blobsVariable)
  }

  /// What is wrong with the address of a store of objects, in a sentence; nil when nothing is.
  package static func problem(ofBlobsAddress text: String) -> String? {
    S3Client.problem(of: text)
  }

  /// Whether two keep their pictures in one place; each is a cache folder, and a store's address unless
  /// they lie in the folder.
  package static func areSamePictures(
    _ one: (folder: CacheFolder, blobs: String?), _ other: (folder: CacheFolder, blobs: String?)
  ) -> Bool {
    func place(_ stores: (folder: CacheFolder, blobs: String?)) -> String {
      guard let blobs = stores.blobs else {
        return URL(fileURLWithPath: stores.folder.path).resolvingSymlinksInPath().path
      }
      return (try? S3Address(blobs)).map { $0.scheme + "://" + $0.host + " " + $0.place } ?? blobs
    }
    return place(one) == place(other)
  }

  /// Objects to import photos from.
  ///
  /// - Parameters:
  ///   - text: their address, `s3://BUCKET/PREFIX?…`.
  ///   - blobs: where pictures are kept, which are not imported again.
  package static func source(
    _ text: String, beside blobs: String?
  ) throws(StoreError) -> any ObjectSource {
    S3ObjectSource(try S3Client(at: text), own: blobs.flatMap { try? S3Address($0) })
  }
}

/// What a store of objects does, tried out.
package struct BlobsFacts: Sendable {
  /// Its address without secrets.
  package let address: String
  /// The library that asks it, with that of its TLS.
  package let library: String
  /// Each promise by a word, in the order of their weight, and whether it is kept.
  package let promises: [(name: String, isKept: Bool)]
  /// How far this machine's clock is ahead of the store's, in milliseconds; nil when it does not say.
  package let clockDifference: Int?

  /// Tries a store out, with an object that is deleted again.
  ///
  /// - Throws: `StoreError.unreachable`, `.overloaded`, `.serviceFailed`.
  package init(of text: String) throws(StoreError) {
    let client = try S3Client(at: text)
    let probe = try S3Probe(client)
    address = client.address.shown
    library = CurlTransport.version ?? ""
    promises = probe.promises
    clockDifference = probe.clockDifference.map { -$0 }
  }
}
