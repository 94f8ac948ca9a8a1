/// A damaged file that was moved out of the store; its name tells what is known of it:
/// `blobs-<name's digest>-<problem>-<its digest>-<time>-<random>.jpg`.
package struct QuarantinedFile: Sendable {
  /// The place it was taken from, without the extension: store and digest.
  package var origin: String
  /// SHA-256 of its bytes; `unread` when they could not be read.
  package var holds: String
  /// Path below the cache folder.
  package var path: String

  /// What a name in `quarantine/` tells, nil when it is none of ours.
  package init?(name: String) {
    let parts = name.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 6 else { return nil }
    origin = "\(parts[0])-\(parts[1])"
    holds = String(parts[3])
    path = "quarantine/" + name
  }

  /// Whether it was taken from there.
  package func isFrom(_ place: BlobPath) -> Bool { origin == Self.origin(place) }

  package static func origin(_ place: BlobPath) -> String {
    "\(place.kind.rawValue)-\(place.sha256)"
  }
}
