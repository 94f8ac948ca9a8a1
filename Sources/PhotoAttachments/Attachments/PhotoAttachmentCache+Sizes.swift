package import Foundation
public import ImageContainers
package import PhotoIngestion
import Synchronization

/// Sizes of photos: made when they are first asked for, then kept until `sweep` needs the space.
extension PhotoAttachmentCache {
  /// A photo's picture that fits a screen: the smallest size of its ladder with at least so many pixels
  /// along the longer side, the largest where none has. The bytes come from `bytes(of:)` or `body(of:)`.
  ///
  /// - Parameters:
  ///   - photo: a photo on record.
  ///   - side: pixels along the longer side.
  ///   - format: `.webp`, or `.jpeg` for what knows nothing else; a JPEG's transparent parts are white.
  /// - Throws: `StoreError.missingPhoto` when the photo is gone; errors of making and storing.
  public func picture(
    of photo: PhotoAttachmentMetadata, fitting side: Int, as format: ImageFormat = .webp
  ) async throws(StoreError) -> StoredPicture {
    let ladder = PhotoSize.ladder(width: photo.blob.pixelWidth, height: photo.blob.pixelHeight)
    guard PhotoSize.formats.contains(format),
      let size = ladder.first(where: { max($0.width, $0.height) >= side }) ?? ladder.last
    else { throw .fault(.sizeFormat) }
    return try await run { [self] in try picture(SizeForm(size, format), of: photo) }
  }

  /// A size from the store, made where it is not there. Blocks.
  package func picture(
    _ form: SizeForm, of photo: PhotoAttachmentMetadata
  ) throws(StoreError) -> StoredPicture {
    if let known = try catalog.size(form.name, of: photo.id), known.isStored,
      try blobs.holds(known.picture)
    {
      return StoredPicture(known.picture, form.size)
    }
    return try makeSize(form, of: photo)
  }

  /// What is on record of a size, by one look at the catalog alone, which waits for no upload.
  package func knownSize(
    _ name: SizeForm.Name, of photo: UUID
  ) async throws(StoreError) -> StoredSize? {
    let known = try await catalog.database.reading(.lookUp) {
      SizeRows.first(of: try $0.rows(SizeRows.known, SizeRows.key(name, photo)), name)
    }
    let now = now()
    if let known, now.timeIntervalSince(known.usedAt) > 3600 {
      note(PhotoSizeKey(photo: photo, name: name), at: now)
    }
    return known
  }

  /// Notes that a size is used after the response was sent, once at a time.
  private func note(_ size: PhotoSizeKey, at now: Date) {
    // One that isn't noted is given up a little earlier.
    guard noting.withLock({ $0.count < 64 && $0.insert(size).inserted }) else { return }
    // Detached, because the request has its response already and must not wait.
    Task.detached { [self] in
      try? await threads.finish { [catalog] in
        try catalog.touch(size.name, of: size.photo, at: now)
      }
      noting.withLock { _ = $0.remove(size) }
    }
  }

  /// Makes a size, in a worker where there are workers, and keeps it.
  ///
  /// - Parameters:
  ///   - pool: whose thread waits for it.
  ///   - turn: its turn at the decoders.
  package func makeSize(
    _ form: SizeForm, of photo: PhotoAttachmentMetadata, on pool: WorkerPool, in turn: DecoderTurn
  ) async throws(StoreError) -> StoredPicture {
    try await run(on: pool) { [self] in try makeSize(form, of: photo, in: turn) }
  }

  /// Makes a size, and keeps it. Blocks.
  package func makeSize(
    _ form: SizeForm, of photo: PhotoAttachmentMetadata, in turn: DecoderTurn? = nil
  ) throws(StoreError) -> StoredPicture {
    let blob = photo.blob
    let bytes = try blobs.proved(blob)
    var pipeline = pipeline
    pipeline.turn = turn
    let made = try StoreError.catching { [pipeline] in
      try pipeline.size(
        form,
        of: EncodedPicture(
          bytes: bytes, format: blob.format, pixelWidth: blob.pixelWidth,
          pixelHeight: blob.pixelHeight, frameCount: blob.frameCount, sha256: blob.sha256))
    }
    return try keep(made, form.name, of: photo)
  }

  /// Stores and records a size. It gets its name while the photo cannot go, so that none outlives it.
  private func keep(
    _ picture: EncodedPicture, _ name: SizeForm.Name, of photo: PhotoAttachmentMetadata
  ) throws(StoreError) -> StoredPicture {
    for _ in 0..<5 {
      let staged = try blobs.stage(picture, kind: .size, unlessStored: true)
      let recorded = RecordedPicture(staged.place, sizeBytes: picture.bytes.count)
      do throws(StoreError) {
        try blobs.sync([staged])
        let isKept = try catalog.record(
          recorded, name, of: photo.id, blob: photo.blob.sha256, at: now()
        ) {
          try blobs.name([staged])
          return try blobs.holds(recorded)
        }
        if isKept { return staged.picture }
      } catch {
        blobs.discard(staged)
        throw error
      }
      blobs.discard(staged)
      guard try catalog.photo(id: photo.id.uuidString)?.place(.blob)?.sha256 == photo.blob.sha256
      else { throw .missingPhoto }
      // Equal bytes that stood for it went meanwhile.
    }
    throw .fault(.blobVanished)
  }

  /// Bytes that sizes of photos may take; 5 GB.
  package static let sizeSpace = 5_000_000_000

  /// Deletes the files of sizes that were not used for longest, down to so many bytes of all.
  ///
  /// - Parameter dryRun: only tell.
  package func trimSizes(
    to bytes: Int, dryRun: Bool = false
  ) async throws(StoreError) -> (files: Int, bytes: Int) {
    try await threads.finish { [catalog, blobs] in
      let gone = try catalog.trimSizes(to: bytes, dryRun: dryRun)
      return try dryRun
        ? blobs.measure(Set(gone)) : catalog.release(gone, deleting: blobs.remove)
    }
  }
}

extension StoredPicture {
  /// A size that is on record.
  package init(_ picture: RecordedPicture, _ size: PhotoSize? = nil) {
    self.init(
      path: picture.place.relativePath, format: picture.place.format, sizeBytes: picture.sizeBytes,
      sha256: picture.place.sha256, pixelWidth: size?.width ?? 0, pixelHeight: size?.height ?? 0,
      frameCount: 1)
  }
}
