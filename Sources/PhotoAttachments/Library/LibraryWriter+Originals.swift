import Foundation
import Glibc
import ImageContainers
import PhotoIngestion
import Synchronization

extension LibraryWriter {
  /// Deletes or moves an original. This requires that its stored photo reads back with the recorded digest, that the
  /// photo contains everything that the original showed, and that the original still has the imported bytes. In case of
  /// doubt, the original stays.
  ///
  /// A picture that was encoded again (rotated, or HEIC) counts as complete. Visible losses are listed as such, and
  /// removing metadata is the purpose of normalization. The fate of the original is recorded first. From then on its
  /// photo counts as an only copy, and the original stays if the photo was forgotten meanwhile.
  func removeSource(of finding: ImportFinding, _ result: inout ImportedFile) {
    guard case .file(let file, let digest) = finding.path else { return }
    let photo: UUID
    switch result.outcome {
    case .imported(let imported): photo = imported.id
    case .duplicate(let id, _), .unchanged(let id): photo = id
    case .skipped, .failed: return
    }
    if case .imported(let imported) = result.outcome, options.dryRun {
      dryRunPhotos.add(imported)
    }
    let reason = file.throughLink ? .link : reasonOfSet(file)
    let outcome =
      reason.map { .kept($0) }
      ?? (options.dryRun ? wouldRemove(digest, of: photo) : removeSource(file, of: photo, result))
    switch outcome {
    case .deleted: result.sourceDeleted = true
    case .moved(let path): result.sourceMovedTo = path
    case .kept(let reason): result.sourceKept = reason
    }
  }

  /// Returns the reason to keep an original together with its sidecars, which are the files that belong to it. They
  /// aren't stored, so they are moved with it or stay.
  private func reasonOfSet(_ file: FoundFile) -> SourceKeptReason? {
    guard options.moveSource == nil, objects == nil else { return nil }
    do throws(SourceKeptReason) {
      return try sidecars.sidecars(of: file).isEmpty ? nil : .sidecar
    } catch {
      return error
    }
  }

  /// Predicts the outcome in a dry run, without reading the original again.
  private func wouldRemove(_ digest: String?, of id: UUID) -> SourceRemoval.Outcome {
    guard let photo = dryRunPhotos.photo(id) ?? (try? photo(id)) else { return .kept(.unproved) }
    return reasonToKeep(digest, of: photo, planned: photo.normalization).map { .kept($0) }
      ?? .deleted
  }

  /// Returns the reason to keep an original according to its plan and its photo's record; `nil` if it may be removed.
  ///
  /// - Parameters:
  ///   - digest: the original's digest; `nil` if it is unknown.
  ///   - normalization: the way in which this version would normalize the original.
  private func reasonToKeep(
    _ digest: String?, of photo: PhotoAttachmentMetadata, planned normalization: Normalization
  ) -> SourceKeptReason? {
    let signs = normalization.signsOfCut
    let recorded = photo.normalization.signsOfCut
    if !signs.isEmpty || !recorded.isEmpty { return .cut(signs.isEmpty ? recorded : signs) }
    if let digest, photo.source.sha256 != digest, !options.deletesLossySources {
      return .equalPixels
    }
    if !options.deletesLossySources, !normalization.losses.isEmpty {
      return .losses(normalization.losses)
    }
    let unknown = normalization.unknownBytes
    return unknown > Self.mostUnknownBytes ? .unknownData(bytes: unknown) : nil
  }

  /// The maximum number of unknown bytes that may be deleted with an original.
  private static var mostUnknownBytes: Int { 1024 }

  /// Returns the number of bytes in an original's data that its stored copy lacks and no loss lists. They follow the
  /// last pixel.
  private func hiddenBytes(of size: Int, _ plan: Normalization, in blob: StoredPicture) -> Int {
    switch blob.format {
    case .png where plan.reasons == [.coding]: break
    case .webp where plan.method == .carriedOver: break
    default: return 0
    }
    return size - blob.sizeBytes - plan.removed.reduce(0) { $0 + $1.bytes }
  }

  private func photo(_ id: UUID) throws(StoreError) -> PhotoAttachmentMetadata? {
    try cache.catalog.photo(id: id.uuidString).map(cache.metadata)
  }

  private func removeSource(
    _ file: FoundFile, of id: UUID, _ result: ImportedFile
  ) -> SourceRemoval.Outcome {
    do {
      guard let look = try catalog.lookups(of: [(file.key, file.identity)])[0],
        look.record.path == file.key,
        case .photo(id, _)? = look.record.knowledge, let digest = look.record.sha256,
        let photo = try photo(id)
      else { return .kept(.unproved) }
      var plan = photo.normalization
      var original: ReceivedFile?
      let isRecordedNow = result.isImported && photo.source.sha256 == digest
      if !isRecordedNow || photo.format == .heic { original = try received(file, digest) }
      // If the record describes another file, or was made by an earlier version that checked less, plan again.
      if !isRecordedNow, let original {
        plan = try pipeline.planForDryRun(original).facts.normalization
      }
      if let reason = reasonToKeep(digest, of: photo, planned: plan) { return .kept(reason) }
      let hidden = hiddenBytes(
        of: original?.bytes.count ?? photo.fileSizeBytes, plan, in: photo.blob)
      if hidden > Self.mostUnknownBytes { return .kept(.unknownData(bytes: hidden)) }
      let blob = try cache.blobs.readVerified(photo.blob)
      if let original, let reason = secondOpinion(on: original, photo, blob: blob) {
        return .kept(reason)
      }
      let moves = options.moveSource != nil
      let set = objects == nil ? try sidecars.sidecars(of: file, alone: moves) : []
      // A sidecar may have been added meanwhile.
      guard moves || set.isEmpty else { return .kept(.sidecar) }
      let purpose = options.moveSource.map { SourceRemoval.Outcome.moved($0) } ?? .deleted
      guard try cache.catalog.recordRemoval(purpose, of: file.key, photo: id) else {
        return .kept(.unproved)
      }
      let outcome = removeNoted(file, with: set, digest, photo)
      // If this fails, the original counts as gone.
      if outcome != .deleted {
        _ = try? cache.catalog.recordRemoval(outcome, of: file.key, photo: id)
      }
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
    var outcome = SourceRemoval.Outcome.kept(.changed)
    sidecars.changing(file) {
      outcome = SourceRemoval.remove(file, with: set, sha256: digest, to: destination) {
        isStored($0, digest, photo)
      }
      if case .kept = outcome { return false }
      return true
    }
    return outcome
  }

  /// Reads an original again.
  ///
  /// - Throws: `SourceKeptReason.changed` if its bytes have changed.
  private func received(_ file: FoundFile, _ digest: String) throws -> ReceivedFile {
    let source: PhotoSource =
      if let objects {
        .bytes(
          try objects.key(of: file).flatMap { try objects.readObject($0, first: nil)?.bytes } ?? [],
          name: nil)
      } else {
        .file(file.path)
      }
    let original = try Receiver.receive(source, limit: pipeline.policy.fileBytes)
    guard original.sha256 == digest else { throw SourceKeptReason.changed }
    return original
  }

  /// Decodes a HEIC original with libde265 and compares it with the stored picture. Returns `nil` if they look alike,
  /// and for other formats. Both are shrunk to a quarter, or to 512 pixels, because each decoder smooths chroma in its
  /// own way.
  private func secondOpinion(
    on original: ReceivedFile, _ photo: PhotoAttachmentMetadata, blob: [UInt8]
  ) -> SourceKeptReason? {
    guard ImageContainer.format(of: original.bytes) == .heic else { return nil }
    let side = max(16, min(512, max(photo.pixelWidth, photo.pixelHeight) / 4))
    func raster(_ bytes: [UInt8], _ format: ImageFormat) throws -> PictureRaster {
      try .decode(bytes, format: format, side: side, decoding: pipeline.decoding)
    }
    do {
      let isAlike = try raster(original.bytes, .heic).isAlike(raster(blob, photo.blob.format))
      return isAlike ? nil : .secondOpinion(differs: true)
    } catch {
      return .secondOpinion(differs: false)
    }
  }

  /// Returns `true` if a file is one of the store's pictures, under its own digest or as a picture of this photo.
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

extension ImportedFile {
  /// `true` if its photo was stored and recorded by this import.
  fileprivate var isImported: Bool { if case .imported = outcome { true } else { false } }
}

/// The photos that a dry run would store, by their IDs, which are only valid during the run.
final class DryRunPhotos: Sendable {
  private let known = Mutex<[UUID: PhotoAttachmentMetadata]>([:])

  func add(_ photo: PhotoAttachmentMetadata) { known.withLock { $0[photo.id] = photo } }

  /// Returns `nil` for a photo that isn't part of this run.
  func photo(_ id: UUID) -> PhotoAttachmentMetadata? { known.withLock { $0[id] } }
}
