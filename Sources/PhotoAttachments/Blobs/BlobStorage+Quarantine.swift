import Foundation
import ImageContainers

/// Damaged files that were moved out of the store. The name of a quarantined file records what is known about it:
/// `blobs-<name's digest>-<problem>-<its digest>-<time>-<random>.jpg`.
extension BlobPath {
  /// Parses the name of a file in quarantine. `nil` if the name has another form.
  package init?(quarantined name: String) {
    let parts = name.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 6, let kind = Kind(rawValue: String(parts[0])),
      let format = ImageFormat.allCases.first(where: { name.hasSuffix(".\($0.fileExtensions[0])") })
    else { return nil }
    self.init(kind, sha256: String(parts[1]), format: format, quarantined: name)
  }

  /// The path at which the quarantined file was stored before.
  package var origin: BlobPath { BlobPath(kind, sha256: sha256, format: format) ?? self }

  /// The SHA-256 of the bytes of a file in quarantine, or `unread` if they could not be read.
  package var holds: String? { quarantined.map { String($0.split(separator: "-")[3]) } }
}

extension BlobStorage {
  /// Moves a damaged picture to quarantine, so that it is never served and a picture of that name can be stored again.
  /// Call it while holding the catalog's lock.
  ///
  /// - Parameters:
  ///   - identity: the file that was checked. A different file at the same place is not moved.
  ///   - holds: the digest of its bytes. `nil` if they cannot be read.
  /// - Returns: the new path. `nil` if the file is gone or was replaced.
  package func quarantine(
    _ place: BlobPath, _ identity: FileIdentity, problem: StoreProblem, holds: String?
  ) throws(StoreError) -> String? {
    let name =
      "\(place.kind.rawValue)-\(place.sha256)-\(problem.rawValue)-\(holds ?? "unread")-"
      + "\(time(nil))-\(String(UInt64.random(in: 0 ... .max), radix: 16))."
      + place.format.fileExtensions[0]
    guard let target = BlobPath(quarantined: name), try move(place, identity, to: target) else {
      return nil
    }
    return target.relativePath
  }
}
