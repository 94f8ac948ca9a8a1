import BlobStoreS3
import Foundation
import HTTPClient
package import PhotoAttachments

extension Stores {
  /// The environment variable with the address of an object store. Servers get the address only in this way.
  package static let blobsVariable = "PETSPOT_BLOBS"

  /// Returns the address of the object store for blobs: `given`, else `PETSPOT_BLOBS`. `nil` means the cache folder.
  package static func blobsAddress(given: String? = nil) -> String? {
    given ?? named(by: blobsVariable)
  }

  /// Returns a sentence about what is wrong with an object store's address, or `nil` if it is valid.
  package static func problem(ofBlobsAddress text: String) -> String? {
    S3Client.problem(of: text)
  }

  /// Returns `true` if both stores keep their pictures in the same place: the cache folder, or the object store if
  /// there is an address.
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

  /// Returns the objects from which photos are imported.
  ///
  /// - Parameters:
  ///   - text: the objects' address, `s3://BUCKET/PREFIX?…`.
  ///   - blobs: the address at which pictures are stored. They are not imported again.
  package static func source(
    _ text: String, beside blobs: String?
  ) throws(StoreError) -> any ObjectSource {
    S3ObjectSource(try S3Client(at: text), own: blobs.flatMap { try? S3Address($0) })
  }
}

/// The facts that a test of an object store has found. `petspot doctor` prints them.
package struct BlobsFacts: Sendable {
  /// The store's address without secrets.
  package let address: String
  /// The version of the HTTP library, with its TLS library.
  package let library: String
  /// The name of each guarantee (see `S3Probe`), in order of importance, and whether the store keeps it.
  package let guarantees: [(name: String, isKept: Bool)]
  /// The milliseconds by which this machine's clock is ahead of the store's. `nil` if the store sends no time.
  package let clockDifference: Int?

  /// Tests a store with an object that is deleted again.
  ///
  /// - Throws: `StoreError.unreachable`, `.overloaded`, `.serviceFailed`.
  package init(of text: String) throws(StoreError) {
    let client = try S3Client(at: text)
    let probe = try S3Probe(client)
    address = client.address.shown
    library = CurlTransport.version ?? ""
    guarantees = probe.guarantees
    clockDifference = probe.clockDifference.map { -$0 }
  }
}
