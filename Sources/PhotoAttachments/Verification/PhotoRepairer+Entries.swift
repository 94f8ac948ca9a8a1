import Foundation
import PhotoIngestion

/// Repairs catalog entries that refer to missing photos or contradict other entries.
extension PhotoRepairer {
  func repair(_ entry: CatalogEntry) throws(StoreError) -> VerifyReport.Repair? {
    let catalog = cache.catalog
    // An earlier repair may have fixed the photo that the entry refers to.
    guard let problem = try catalog.problem(of: entry) else { return .done(.record) }
    let isDangling = problem == .reference
    switch entry {
    case .attachment:
      guard isDangling else { return .failed(.noSource) }
    // The photo of a dangling attachment is gone, so `letGo` below resets its draft to the state without a photo.
    case .library(let photo): return isDangling ? try remake(photo) : try repairHash(photo)
    case .source(let path) where !isDangling:
      try catalog.correctSource(path: path)
      return .done(.record)
    case .other: return .failed(.noSource)
    case .source, .asset: break
    }
    try catalog.letGo(entry, at: cache.now())
    return .done(.released)
  }

  /// Restores the missing photo of a library entry from the original. Removes the entry if there is no original.
  private func remake(_ photo: String) throws(StoreError) -> VerifyReport.Repair {
    var isDone = false
    if let id = UUID(uuidString: photo) {
      let reason = try originals.search(ids: [photo], digest: nil) { original in
        guard let prepared = try prepare(original.received) else { return false }
        let metadata = cache.newPhoto(
          prepared.facts, id: id,
          blob: try cache.blobs.put(prepared.blob, kind: .blob),
          preview: try cache.blobs.put(prepared.preview, kind: .preview))
        let record = try SealedRecord(metadata)
        isDone = try cache.catalog.remake(record) {
          try cache.blobs.holds(record)
        }
        return isDone
      }
      // Keep the entry while its original may still exist.
      if reason == .storage { return .failed(.storage) }
    }
    if isDone { return .done(.source) }
    try cache.catalog.letGo(.library(photo: photo), at: cache.now())
    return .done(.released)
  }

  /// Recomputes the perceptual hash of a library photo.
  private func repairHash(_ photo: String) throws(StoreError) -> VerifyReport.Repair {
    guard let record = try cache.catalog.photo(id: photo), let id = UUID(uuidString: photo)
    else { return .failed(.noSource) }
    let sealed = try cache.catalog.librarySeal(photo: photo)
    var found: (hash: UInt64, method: VerifyReport.Method)?
    _ = try originals.search(ids: [photo], digest: record.text("sourceSHA256")) { original in
      guard let prepared = try prepare(original.received) else { return false }
      let hash = prepared.perceptualHash
      let isSealed =
        Seal.library(photo: photo, perceptualHash: Int64(bitPattern: hash)) == sealed
      if found == nil || isSealed { found = (hash, .source) }
      return isSealed
    }
    if found == nil, let prepared = try preparedBlob(record) {
      found = (prepared.perceptualHash, .blob)
    }
    guard let found else { return .failed(.noSource) }
    try cache.catalog.setPerceptualHash(found.hash, photo: id)
    return .done(found.method)
  }
}
