import Foundation
import Glibc
import SystemPackage
import PhotoIngestion

/// Finds the original of a photo in the files that an import recorded and in the folders that the person named. A file
/// counts as the original only if its bytes match.
final class OriginalFinder: Sendable {
  struct Original {
    var received: ReceivedFile
    /// `true` if the import recorded this as the file that the photo was made from.
    var isNoted: Bool
  }

  private let cache: PhotoAttachmentCache
  /// The files in the named folders, by digest. Contains only originals or stored pictures that are being looked for.
  private let named: [String: [UInt8]]
  /// `true` if something in the named folders cannot be read. It may be an original.
  private let isIncomplete: Bool

  /// Reads the named folders once and finds the originals of these photos.
  init(_ verifier: PhotoVerifier, for damages: [PhotoVerifier.Damage]) throws(StoreError) {
    cache = verifier.cache
    var named: [String: [UInt8]] = [:]
    var isIncomplete = false
    let sources = verifier.options.sources
    if !sources.isEmpty {
      let wanted = try Self.digests(of: damages, cache.catalog)
      let walk = try FolderWalk(
        sources, options: ImportOptions(), cache: cache.folder, caches: .read)
      while let entry = walk.next() {
        if case .refused(_, .photo(.unreadable)) = entry { isIncomplete = true }
        guard case .file(let file, let wayIn) = entry, file.identity.size <= cache.policy.fileBytes
        else { continue }
        do {
          let digest = sha256(of: try wayIn.open(file).readPrefix(file.identity.size))
          if wanted.contains(digest) { named[digest] = file.key }
        } catch { isIncomplete = true }
      }
    }
    self.named = named
    self.isIncomplete = isIncomplete
  }

  private static func digests(
    of damages: [PhotoVerifier.Damage], _ catalog: Catalog
  ) throws(StoreError) -> Set<String> {
    var digests: Set<String> = []
    for damage in damages {
      switch damage.subject {
      case .photo(let sequence):
        guard let photo = try catalog.photo(sequence: sequence) else { continue }
        digests.formUnion(photo.places.map(\.sha256))
        if let digest = photo.text("sourceSHA256") { digests.insert(digest) }
      case .entry(.library(let photo)):
        digests.formUnion(try catalog.originalDigests(photo: photo))
      default: continue
      }
    }
    return digests
  }

  /// Returns the exact bytes of a stored picture if a named folder, such as a backup, contains them.
  func copy(of place: BlobPath) -> [UInt8]? {
    guard let path = named[place.sha256],
      let file = try? received(path),
      file.sha256 == place.sha256
    else { return nil }
    return file.bytes
  }

  /// Calls `use` with each original of a photo until it returns `true`. Files that the photo was made from come first.
  ///
  /// - Parameters:
  ///   - ids: the photo's ID and that of the library photo it was picked from.
  ///   - digest: the SHA-256 of the original, if it is known.
  /// - Returns: `nil` if `use` returned `true`; otherwise the reason why no original fits. `storage` means that a
  ///   candidate cannot be read now.
  func search(
    ids: [String], digest: String?, _ use: (Original) throws -> Bool
  ) throws(StoreError) -> VerifyReport.Reason? {
    var reason = isIncomplete ? VerifyReport.Reason.storage : .noSource
    for candidate in try candidates(ids: ids, digest: digest) {
      let received: ReceivedFile
      do throws(PhotoError) {
        received = try self.received(candidate.path)
      } catch {
        switch error {
        case .unreadable(.system(let code)) where ![ENOENT, ENOTDIR].contains(code): fallthrough
        case .shortage: reason = .storage
        default: break
        }
        continue
      }
      guard received.sha256 == candidate.sha256 || received.sha256 == digest else {
        if reason == .noSource { reason = .sourceChanged }
        continue
      }
      let original = Original(received: received, isNoted: candidate.isSource)
      if try StoreError.catching({ try use(original) }) { return nil }
      if reason != .storage { reason = .otherBytes }
    }
    return reason
  }

  private func received(_ path: [UInt8]) throws(PhotoError) -> ReceivedFile {
    try Receiver.receive(.file(FilePath(bytes: path)), limit: cache.policy.fileBytes)
  }

  private func candidates(ids: [String], digest: String?) throws(StoreError) -> [NotedOriginal] {
    var candidates = try cache.catalog.originals(ids: ids, sha256: digest)
    for wanted in Set(candidates.map(\.sha256) + [digest]) {
      guard let wanted, let path = named[wanted] else { continue }
      candidates.append(NotedOriginal(path: path, sha256: wanted, isSource: false))
    }
    return candidates
  }
}
