import Foundation
import Glibc
import ImageContainers
import PhotoIngestion

extension LibraryWriter {
  /// Deletes an original, but only when its stored photo reads back with the recorded digest, holds
  /// all that the original showed, and the original still is, bytes and all, what was imported.
  /// Whatever is in doubt stays.
  ///
  /// A picture that was encoded again (turned, or HEIC) counts as whole: what a person would miss is
  /// listed as a loss, and metadata is what normalization is there to take out.
  func deleteSource(of finding: ImportFinding, _ told: inout ImportedFile) {
    guard case .file(let file, _) = finding.path else { return }
    let photo: UUID
    switch told.outcome {
    case .imported(let imported): photo = imported.id
    case .duplicate(let id, _), .unchanged(let id): photo = id
    case .skipped, .failed: return
    }
    told.sourceKept = file.throughLink ? .link : deleteSource(file, of: photo)
    told.sourceDeleted = told.sourceKept == nil
  }

  private func deleteSource(_ file: FoundFile, of id: UUID) -> SourceKept? {
    do {
      guard let look = try catalog.looks(at: [(file.key, file.identity)])[0], look.isSamePath,
        case .photo(id, _)? = look.record.knowledge, let digest = look.record.sha256,
        let photo = try cache.photo(id: id)
      else { return .unproved }
      if !options.deleteLossySource {
        if photo.source.sha256 != digest { return .equalPixels }
        let losses = photo.normalization.losses
        if !losses.isEmpty { return .losses(losses) }
      }
      _ = try cache.bytes(of: photo.blob)
      return SourceRemoval.remove(file, sha256: digest) { isStored($0, digest, photo) }
    } catch {
      return .unproved
    }
  }

  /// Whether a file is one of the store's: under the name of its own digest, or the photo's.
  private func isStored(
    _ status: stat, _ digest: String, _ photo: PhotoAttachmentMetadata
  ) -> Bool {
    let places = BlobPath.Kind.allCases.flatMap { kind in
      ImageFormat.allCases.compactMap { BlobPath(kind, sha256: digest, format: $0)?.relativePath }
    }
    return (places + [photo.blob.path, photo.preview.path]).contains { path in
      var stored = stat()
      return lstat(cache.folder.path + "/" + path, &stored) == 0
        && FolderID(stored) == FolderID(status)
    }
  }
}
