package import Foundation
package import PhotoAttachments
package import PhotoIngestion

/// The key of a size.
struct SizeKey: Hashable, Sendable {
  var photo: UUID
  var name: SizeForm.Name
}

/// Sizes of photos.
extension MemoryCatalog {
  package func size(
    _ name: SizeForm.Name, of photo: UUID
  ) throws(StoreError) -> StoredSize? {
    try act { state in
      guard let known = state.sizes[SizeKey(photo: photo, name: name)],
        known.blob == state.photo(photo.uuidString)?.text("blobSHA256") || fault == .sizesOfAnyBlob
      else { return nil }
      return known.size
    }
  }

  package func lookUp(
    _ name: SizeForm.Name, of photo: UUID
  ) async throws(StoreError) -> StoredSize? { try size(name, of: photo) }

  package func record(
    _ size: RecordedPicture, _ name: SizeForm.Name, of photo: UUID, blob: String, at now: Date,
    naming: () throws(StoreError) -> Bool
  ) throws(StoreError) -> Bool {
    try act { state throws(StoreError) in
      guard
        state.photo(photo.uuidString)?.text("blobSHA256") == blob || fault == .sizesOfAnyBlob,
        try naming()
      else { return false }
      state.sizes[SizeKey(photo: photo, name: name)] = (
        blob, StoredSize(size, isStored: true, usedAt: now)
      )
      return true
    }
  }

  package func touch(
    _ name: SizeForm.Name, of photo: UUID, at now: Date
  ) throws(StoreError) {
    try act { $0.sizes[SizeKey(photo: photo, name: name)]?.size.usedAt = now }
  }

  package func trimSizes(to bytes: Int, dryRun: Bool) throws(StoreError) -> [BlobPath] {
    try act { state in
      var (left, gone) = (bytes, [BlobPath]())
      let stored = state.sizes.filter(\.value.size.isStored).sorted {
        ($0.value.size.usedAt > $1.value.size.usedAt) != (fault == .trimsTheNewest)
      }
      for (key, known) in stored {
        left -= known.size.picture.sizeBytes
        guard left < 0 else { continue }
        gone.append(known.size.picture.place)
        if dryRun { continue }
        state.sizes[key]?.size.isStored = false
        if fault == .forgetsDigests { state.sizes[key] = nil }
      }
      return gone
    }
  }
}
