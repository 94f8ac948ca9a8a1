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
  /// listed as a loss, and metadata is what normalization is there to take out. What happens to it is recorded
  /// before: from then on its photo counts as an only copy, and it stays if that was forgotten meanwhile.
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
    let reason = file.throughLink ? .link : reasonOfSet(file)
    let outcome =
      reason.map { .kept($0) }
      ?? (options.dryRun ? wouldRemove(digest, of: photo) : removeSource(file, of: photo))
    switch outcome {
    case .deleted: result.sourceDeleted = true
    case .moved(let path): result.sourceMovedTo = path
    case .kept(let reason): result.sourceKept = reason
    }
  }

  /// Why its set stays. Files that go with a photo are stored nowhere, so they are moved with it or stay.
  private func reasonOfSet(_ file: FoundFile) -> SourceKeptReason? {
    guard options.moveSource == nil, objects == nil else { return nil }
    do throws(SourceKeptReason) {
      return try sidecars.sidecars(of: file).isEmpty ? nil : .sidecar
    } catch {
      return error
    }
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
      guard let look = try catalog.lookups(of: [(file.key, file.identity)])[0],
        look.record.path == file.key,
        case .photo(id, _)? = look.record.knowledge, let digest = look.record.sha256,
        let photo = try photo(id)
      else { return .kept(.unproved) }
      if let reason = reasonToKeep(digest, of: photo) { return .kept(reason) }
      let blob = try cache.blobs.proved(photo.blob)
      if let reason = secondOpinion(on: file, digest, photo, blob: blob) { return .kept(reason) }
      let set = objects == nil ? try sidecars.sidecars(of: file) : []
      let purpose = options.moveSource.map { SourceRemoval.Outcome.moved($0) } ?? .deleted
      guard try cache.catalog.note(purpose, of: file.key, photo: id) else {
        return .kept(.unproved)
      }
      let outcome = removeNoted(file, with: set, digest, photo)
      // Where this fails, it counts as gone.
      if outcome != .deleted { _ = try? cache.catalog.note(outcome, of: file.key, photo: id) }
      return outcome
    } catch let reason as SourceKeptReason {
      return .kept(reason)
    } catch {
      return .kept(.unproved)
    }
  }

  private func removeNoted(
    _ file: FoundFile, with set: [[UInt8]], _ digest: String, _ photo: PhotoAttachmentMetadata
  ) -> SourceRemoval.Outcome {
    if let objects { return SourceRemoval.remove(file, sha256: digest, from: objects) }
    return SourceRemoval.remove(file, with: set, sha256: digest, to: destination) {
      isStored($0, digest, photo)
    }
  }

  /// Has libde265 decode a HEIC original and compares it with its stored picture; nil when they look alike, and
  /// for other formats. Both are shrunk to a quarter, or 512 pixels: each decoder smooths chroma its own way.
  private func secondOpinion(
    on file: FoundFile, _ digest: String, _ photo: PhotoAttachmentMetadata, blob: [UInt8]
  ) -> SourceKeptReason? {
    guard photo.format == .heic || photo.source.sha256 != digest else { return nil }
    let side = max(16, min(512, max(photo.pixelWidth, photo.pixelHeight) / 4))
    func raster(_ bytes: [UInt8], _ format: ImageFormat) throws -> PictureRaster {
      try .decode(bytes, format: format, side: side, decoders: pipeline.decoders)
    }
    do {
      let original =
        if let objects {
          try objects.key(of: file).flatMap { try objects.read($0, first: nil)?.bytes } ?? []
        } else {
          try Receiver.receive(.file(file.path), limit: pipeline.policy.fileBytes).bytes
        }
      guard sha256(of: original) == digest else { return .changed }
      guard ImageContainer.format(of: original) == .heic else { return nil }
      let isAlike = try raster(original, .heic).isAlike(raster(blob, photo.blob.format))
      return isAlike ? nil : .secondOpinion(differs: true)
    } catch {
      return .secondOpinion(differs: false)
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
