import Glibc
import ImageContainers

/// A damaged file that was moved out of the store; its name says what is known of it:
/// `blobs-<name's digest>-<problem>-<its digest>-<time>-<random>.jpg`.
package struct QuarantinedFile: Sendable {
  /// The place it was taken from, without the extension: store and digest.
  package var origin: String
  /// SHA-256 of its bytes; `unread` when they could not be read.
  package var holds: String
  /// Path below the cache folder.
  package var path: String
  /// Its bytes, which may have changed since.
  package var body: @Sendable () throws(StoreError) -> PictureBody

  /// The file of a name in `quarantine/`, nil when the name has another form.
  package init?(
    name: String,
    body: @escaping @Sendable () throws(StoreError) -> PictureBody = {
      () throws(StoreError) in throw .missingPhoto
    }
  ) {
    let parts = name.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 6 else { return nil }
    origin = "\(parts[0])-\(parts[1])"
    holds = String(parts[3])
    path = "quarantine/" + name
    self.body = body
  }

  /// Whether it was taken from there.
  package func isFrom(_ place: BlobPath) -> Bool { origin == Self.origin(place) }

  package static func origin(_ place: BlobPath) -> String {
    "\(place.kind.rawValue)-\(place.sha256)"
  }
}

extension BlobStorage {
  /// Moves a damaged picture to quarantine, so that it is never served and another one of its name is
  /// stored anew. Call it while the catalog holds.
  ///
  /// - Parameters:
  ///   - identity: what was looked at; another one that took its place stays.
  ///   - holds: digest of its bytes, nil when they cannot be read.
  /// - Returns: where it lies now; nil when another one took its place, or none.
  package func quarantine(
    _ place: BlobPath, _ identity: FileIdentity, problem: StoreProblem, holds: String?
  ) throws(StoreError) -> String? {
    let random = String(UInt64.random(in: .min ... .max), radix: 16)
    let name =
      "\(QuarantinedFile.origin(place))-\(problem.rawValue)-\(holds ?? "unread")-\(time(nil))-"
      + random + "." + place.format.fileExtensions[0]
    return try move(place, identity, toQuarantine: name) ? "quarantine/" + name : nil
  }
}
