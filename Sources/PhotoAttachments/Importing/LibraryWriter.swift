import Foundation
import GRDB
import PhotoIngestion

/// Records what an import found out, a group at a time: pictures are synced first, then named and
/// recorded in one transaction, so that no other process deletes them in between.
struct LibraryWriter: Sendable {
  let cache: PhotoAttachmentCache
  /// The catalog, or a copy of it in a dry run.
  let catalog: Catalog
  let pipeline: PhotoPipeline
  let options: ImportOptions

  /// Records a group in its order and, when asked to, deletes originals whose photos are proved.
  ///
  /// - Parameter times: what it takes is added here.
  /// - Returns: what became of each.
  /// - Throws: storage and catalog errors; then nothing of the group is recorded.
  func write(
    _ group: [ImportFinding], _ times: inout StageTimes
  ) throws(PhotoError) -> [ImportedFile] {
    // Nothing new: neither a transaction nor another process's lock is waited for.
    let told = group.compactMap(\.told)
    if told.count == group.count { return withDeletedSources(told, group) }
    var clock = StageClock(.store)
    defer { times += clock.stop() }
    let pictures = group.map(\.pictures)
    do throws(PhotoError) {
      if !options.dryRun {
        try cache.blobs.sync(Array(pictures.joined()))
      }
      clock.enter(.record)
      let twins = try pixelTwins(in: group)
      let files = try catalog.write { db in
        var files: [ImportedFile] = []
        for (finding, twin) in zip(group, twins) {
          files.append(try record(finding, twin: twin, files: files, db))
        }
        if !options.dryRun {
          let named = try zip(files, pictures).flatMap { try wanted($0, $1, db) }
          clock.enter(.store)
          try cache.blobs.publish(named)
          clock.enter(.record)
        }
        return files
      }
      for picture in pictures.joined() { cache.blobs.discard(picture) }
      return withDeletedSources(files, group)
    } catch {
      // Those that got their names are gone from `incoming/`; `sweep` finds them.
      for picture in pictures.joined() { cache.blobs.discard(picture) }
      throw error
    }
  }

  private func withDeletedSources(
    _ files: [ImportedFile], _ group: [ImportFinding]
  ) -> [ImportedFile] {
    guard options.deleteSource, !options.dryRun else { return files }
    return zip(files, group).map { file, finding in
      var file = file
      deleteSource(of: finding, &file)
      return file
    }
  }

  /// The pictures to be named: those of a new photo, and those that a photo on record has lost or
  /// that are damaged.
  private func wanted(
    _ file: ImportedFile, _ pictures: [BlobStore.StagedPicture], _ db: Database
  ) throws -> [BlobStore.StagedPicture] {
    if file.isImported { return pictures }
    return try pictures.filter {
      try PhotoRow.isReferenced(db, $0.place) && !cache.blobs.isWhole($0.place)
    }
  }

  /// A picture with equal pixels in another coding.
  enum Twin: Equatable {
    case inLibrary(UUID)
    /// By its place in the group.
    case inGroup(Int)
  }

  /// For each new picture the one it equals pixel by pixel, although its blob is another (the same
  /// screenshot, compressed again). Pictures with equal previews are candidates; all their pixels
  /// are compared by digest.
  private func pixelTwins(in group: [ImportFinding]) throws(PhotoError) -> [Twin?] {
    var twins: [Twin?] = []
    for (index, finding) in group.enumerated() {
      guard case .staged(let staged) = finding.verdict, staged.blob.picture.frameCount == 1 else {
        twins.append(nil)
        continue
      }
      twins.append(try twin(of: staged, before: index, in: group))
    }
    return twins
  }

  private func twin(
    of staged: StagedPhoto, before index: Int, in group: [ImportFinding]
  ) throws(PhotoError) -> Twin? {
    let (blob, preview) = (staged.blob.picture, staged.preview.picture)
    let stored = try catalog.read { db in
      try LibraryRow.candidates(db, blob: blob, preview: preview)
        + LibraryRow.candidates(
          db, blob: blob, preview: preview, perceptualHash: staged.prepared.perceptualHash,
          outside: staged.prepared.form)
    }
    let earlier = group[..<index].indices.filter { other in
      guard case .staged(let other) = group[other].verdict else { return false }
      let candidate = other.blob.picture
      return other.preview.picture.sha256 == preview.sha256 && candidate.sha256 != blob.sha256
        && candidate.frameCount == 1 && candidate.pixelWidth == blob.pixelWidth
        && candidate.pixelHeight == blob.pixelHeight
    }.prefix(4)
    guard !stored.isEmpty || !earlier.isEmpty, let own = digest(of: staged.blob) else {
      return nil
    }
    for row in stored {
      guard let place = try row.places.first, let bytes = try? cache.blobs.read(place),
        let digest = try? pipeline.pixelDigest(of: bytes, as: row.blobFormat), digest == own,
        let id = UUID(uuidString: row.id)
      else { continue }
      return .inLibrary(id)
    }
    for other in earlier {
      if case .staged(let photo) = group[other].verdict, digest(of: photo.blob) == own {
        return .inGroup(other)
      }
    }
    return nil
  }

  /// Nil when it cannot be told; then the pictures count as different.
  private func digest(of staged: BlobStore.StagedPicture) -> String? {
    guard let bytes = try? cache.blobs.read(staged) else { return nil }
    return try? pipeline.pixelDigest(of: bytes, as: staged.picture.format)
  }
}

extension ImportedFile {
  /// Whether it became a new photo.
  var isImported: Bool { if case .imported = outcome { true } else { false } }
}
