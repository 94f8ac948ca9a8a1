import Foundation
import ImageContainers

/// Damaged files that were moved out of the store; a name in quarantine says what is known of the file:
/// `blobs-<name's digest>-<problem>-<its digest>-<time>-<random>.jpg`.
extension BlobPath {
  /// The file of a name in quarantine, nil when the name has another form.
  package init?(quarantined name: String) {
    let parts = name.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 6, let kind = Kind(rawValue: String(parts[0])),
      let format = ImageFormat.allCases.first(where: { name.hasSuffix(".\($0.fileExtensions[0])") })
    else { return nil }
    self.init(kind, sha256: String(parts[1]), format: format, quarantined: name)
  }

  /// The place that a file in quarantine was taken from.
  package var origin: BlobPath { BlobPath(kind, sha256: sha256, format: format) ?? self }

  /// SHA-256 of the bytes of a file in quarantine; `unread` when they could not be read.
  package var holds: String? { quarantined.map { String($0.split(separator: "-")[3]) } }
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
