import Foundation
import Glibc
import ImageContainers
import PhotoIngestion
import Synchronization

extension LibraryWriter {
  /// Deletes or moves an original, but only when its stored photo reads back with the recorded digest, holds
  /// all that the original showed, and the original still is, bytes and all, what was imported.
  /// Whatever is in doubt stays.
  ///
  /// A picture that was encoded again (turned, or HEIC) counts as whole: what a person would miss is
  /// listed as a loss, and metadata is what normalization is there to take out.
  func removeSource(of finding: ImportFinding, _ result: inout ImportedFile) {
    guard case .file(let file, let digest) = finding.path else { return }
    let photo: UUID
    switch result.outcome {
    case .imported(let imported): photo = imported.id
    case .duplicate(let id, _), .unchanged(let id): photo = id
    case .skipped, .failed: return
    }
    if case .imported(let imported) = result.outcome, options.dryRun {
      dryRunLosses.note(imported.id, imported.normalization.losses)
    }
    let outcome =
      file.throughLink
      ? .kept(.link)
      : options.dryRun ? wouldRemove(digest, of: photo) : removeSource(file, of: photo)
    switch outcome {
    case .deleted: result.sourceDeleted = true
    case .moved(let path): result.sourceMovedTo = path
    case .kept(let reason): result.sourceKept = reason
    }
  }

  /// What a run would do, as far as it can be known without one: the original is not looked at again.
  private func wouldRemove(_ digest: String?, of id: UUID) -> SourceRemoval.Outcome {
    if options.deleteLossySource { return .deleted }
    if let losses = dryRunLosses.losses(of: id) {
      return losses.isEmpty ? .deleted : .kept(.losses(losses))
    }
    guard let photo = try? photo(id) else { return .kept(.unproved) }
    if let digest, photo.source.sha256 != digest { return .kept(.equalPixels) }
    let losses = photo.normalization.losses
    return losses.isEmpty ? .deleted : .kept(.losses(losses))
  }

  private func photo(_ id: UUID) throws(StoreError) -> PhotoAttachmentMetadata? {
    try cache.catalog.photo(id: id.uuidString).map { record throws(StoreError) in
      try cache.metadata(of: record)
    }
  }

  private func removeSource(_ file: FoundFile, of id: UUID) -> SourceRemoval.Outcome {
    do {
      guard let look = try catalog.lookups(of: [(file.key, file.identity)])[0], look.isSamePath,
        case .photo(id, _)? = look.record.knowledge, let digest = look.record.sha256,
        let photo = try photo(id)
      else { return .kept(.unproved) }
      if !options.deleteLossySource {
        if photo.source.sha256 != digest { return .kept(.equalPixels) }
        let losses = photo.normalization.losses
        if !losses.isEmpty { return .kept(.losses(losses)) }
      }
      _ = try cache.blobs.proved(photo.blob)
      if let objects { return SourceRemoval.remove(file, sha256: digest, from: objects) }
      return SourceRemoval.remove(file, sha256: digest, to: destination) {
        isStored($0, digest, photo)
      }
    } catch {
      return .kept(.unproved)
    }
  }

  /// Whether a file is one of the store's: under the name of its own digest, or the photo's.
  private func isStored(
    _ status: stat, _ digest: String, _ photo: PhotoAttachmentMetadata
  ) -> Bool {
    let places = BlobPath.Kind.ofRecords.flatMap { kind in
      ImageFormat.allCases.compactMap { BlobPath(kind, sha256: digest, format: $0)?.relativePath }
    }
    return (places + [photo.blob.path, photo.preview.path]).contains { path in
      var stored = stat()
      return lstat(cache.folder.path + "/" + path, &stored) == 0
        && FolderID(stored) == FolderID(status)
    }
  }
}

/// What photos of a dry run would be stored without, by their ids, which end with the run.
final class DryRunLosses: Sendable {
  private let known = Mutex<[UUID: [String]]>([:])

  func note(_ photo: UUID, _ losses: [String]) { known.withLock { $0[photo] = losses } }

  /// Nil for a photo that is not of this run.
  func losses(of photo: UUID) -> [String]? { known.withLock { $0[photo] } }
}
