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
      dryRunPhotos.note(imported)
    }
    let outcome =
      file.throughLink
      ? .kept(.link)
      : belongsToKeptSet(file)
        ? .kept(.sidecar)
        : options.dryRun ? wouldRemove(digest, of: photo) : removeSource(file, of: photo)
    switch outcome {
    case .deleted: result.sourceDeleted = true
    case .moved(let path): result.sourceMovedTo = path
    case .kept(let reason): result.sourceKept = reason
    }
  }

  /// Whether files go with it, which are stored nowhere: such sets are moved or stay.
  private func belongsToKeptSet(_ file: FoundFile) -> Bool {
    options.moveSource == nil && objects == nil && !sidecars.sidecars(of: file).isEmpty
  }

  /// What a run would do, as far as it can be known without one: the original is not looked at again.
  private func wouldRemove(_ digest: String?, of id: UUID) -> SourceRemoval.Outcome {
    guard let photo = dryRunPhotos.photo(id) ?? (try? photo(id)) else { return .kept(.unproved) }
    return reasonToKeep(digest, of: photo).map { .kept($0) } ?? .deleted
  }

  /// Why an original stays by what is recorded of its photo, nil when it may go.
  ///
  /// - Parameter digest: the original's; nil when it is not known.
  private func reasonToKeep(
    _ digest: String?, of photo: PhotoAttachmentMetadata
  ) -> SourceKeptReason? {
    let normalization = photo.normalization
    if !normalization.signsOfCut.isEmpty { return .cut(normalization.signsOfCut) }
    // What is recorded of losses and unknown data is that of another file.
    if let digest, photo.source.sha256 != digest {
      return options.deleteLossySource ? nil : .equalPixels
    }
    if !options.deleteLossySource, !normalization.losses.isEmpty {
      return .losses(normalization.losses)
    }
    let unknown = normalization.unknownBytes
    return unknown > Self.mostUnknownBytes ? .unknownData(bytes: unknown) : nil
  }

  /// Bytes that nobody knows and that are deleted with an original all the same.
  private static var mostUnknownBytes: Int { 1024 }

  private func photo(_ id: UUID) throws(StoreError) -> PhotoAttachmentMetadata? {
    try cache.catalog.photo(id: id.uuidString).map(cache.metadata)
  }

  private func removeSource(_ file: FoundFile, of id: UUID) -> SourceRemoval.Outcome {
    do {
      guard let look = try catalog.lookups(of: [(file.key, file.identity)])[0], look.isSamePath,
        case .photo(id, _)? = look.record.knowledge, let digest = look.record.sha256,
        let photo = try photo(id)
      else { return .kept(.unproved) }
      if let reason = reasonToKeep(digest, of: photo) { return .kept(reason) }
      _ = try cache.blobs.proved(photo.blob)
      if let objects { return SourceRemoval.remove(file, sha256: digest, from: objects) }
      let set = objects == nil ? sidecars.sidecars(of: file) : []
      return SourceRemoval.remove(file, with: set, sha256: digest, to: destination) {
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

/// Photos that a dry run would store, by their ids, which are valid only during the run.
final class DryRunPhotos: Sendable {
  private let known = Mutex<[UUID: PhotoAttachmentMetadata]>([:])

  func note(_ photo: PhotoAttachmentMetadata) { known.withLock { $0[photo.id] = photo } }

  /// Nil for a photo that is not of this run.
  func photo(_ id: UUID) -> PhotoAttachmentMetadata? { known.withLock { $0[id] } }
}
