package import Foundation
public import ImageContainers
package import PhotoIngestion
import Synchronization

/// Sizes of photos (shrunk copies for screens). They are made when they are first requested, and kept until `sweep` or
/// a server needs the space.
extension PhotoAttachmentCache {
  /// Returns a photo's picture that fits a screen: the smallest size of its ladder whose longer side has at least this
  /// many pixels, or else the largest size. Read its bytes with `bytes(of:)` or `body(of:)`.
  ///
  /// - Parameters:
  ///   - photo: a photo on record.
  ///   - side: the number of pixels of the longer side.
  ///   - format: `.webp`, or `.jpeg` for clients that support nothing else. Transparent parts become white in a JPEG.
  /// - Throws: `StoreError.missingPhoto` if the photo is gone. Errors of making and storing the size.
  public func picture(
    of photo: PhotoAttachmentMetadata, fitting side: Int, as format: ImageFormat = .webp
  ) async throws(StoreError) -> StoredPicture {
    let ladder = PhotoSize.ladder(width: photo.blob.pixelWidth, height: photo.blob.pixelHeight)
    guard PhotoSize.formats.contains(format),
      let size = ladder.first(where: { max($0.width, $0.height) >= side }) ?? ladder.last
    else { throw .fault(.sizeFormat) }
    let form = SizeForm(size, format)
    if let stored = try await runBlocking({ [self] in try storedSize(form, of: photo) }) {
      return stored
    }
    return try await makeSize(form, of: photo, on: pool, in: nil)
  }

  /// Returns a size from the storage, and makes it if it isn't there. Blocks.
  package func picture(
    _ form: SizeForm, of photo: PhotoAttachmentMetadata
  ) throws(StoreError) -> StoredPicture {
    if let stored = try storedSize(form, of: photo) { return stored }
    return try makeSize(form, of: photo)
  }

  private func storedSize(
    _ form: SizeForm, of photo: PhotoAttachmentMetadata
  ) throws(StoreError) -> StoredPicture? {
    guard let known = try catalog.size(form.name, of: photo.id), known.isStored,
      try blobs.holds(known.picture)
    else { return nil }
    return StoredPicture(known.picture, form.size)
  }

  /// Looks up the record of a size. This reads the catalog only, and doesn't wait for uploads.
  package func knownSize(
    _ name: SizeForm.Name, of photo: UUID
  ) async throws(StoreError) -> StoredSize? {
    let known = try await catalog.database.reading(.lookUp) {
      SizeRows.first(of: try $0.rows(SizeRows.known, SizeRows.key(name, photo)), name)
    }
    let now = now()
    if let known, now.timeIntervalSince(known.usedAt) > 3600 {
      recordUse(PhotoSizeKey(photo: photo, name: name), at: now)
    }
    return known
  }

  /// Records in the background that a size was used, unless that is already under way.
  private func recordUse(_ size: PhotoSizeKey, at now: Date) {
    // If this is skipped, the size is deleted a little earlier.
    guard noting.withLock({ $0.count < 64 && $0.insert(size).inserted }) else { return }
    // Detached, because the request already has its response and must not wait.
    Task.detached { [self] in
      try? await threads.finish { [catalog] in
        try catalog.touch(size.name, of: size.photo, at: now)
      }
      noting.withLock { _ = $0.remove(size) }
    }
  }

  /// Makes a size in a decoder process, if the cache has decoders, and stores it. If the size is already being made,
  /// waits for that. Making it is canceled if no caller waits.
  ///
  /// - Parameters:
  ///   - pool: the pool whose thread waits for the size.
  ///   - turn: its turn at the decoders.
  package func makeSize(
    _ form: SizeForm, of photo: PhotoAttachmentMetadata, on pool: WorkerPool, in turn: DecoderTurn?
  ) async throws(StoreError) -> StoredPicture {
    do {
      return try await sizesInProgress.value(PhotoSizeKey(photo: photo.id, name: form.name)) {
        [self] in
        try await runBlocking(on: pool) { [self] in try makeSize(form, of: photo, in: turn) }
      }
    } catch { throw StoreError(error) }
  }

  /// Makes a size and stores it. Blocks.
  package func makeSize(
    _ form: SizeForm, of photo: PhotoAttachmentMetadata, in turn: DecoderTurn? = nil
  ) throws(StoreError) -> StoredPicture {
    let blob = photo.blob
    let bytes = try blobs.readVerified(blob)
    var pipeline = pipeline
    pipeline.turn = turn
    let made = try StoreError.catching { [pipeline] in
      try pipeline.size(
        form,
        of: EncodedPicture(
          bytes: bytes, format: blob.format, pixelWidth: blob.pixelWidth,
          pixelHeight: blob.pixelHeight, frameCount: blob.frameCount, sha256: blob.sha256))
    }
    return try storeSize(made, form.name, of: photo)
  }

  /// Stores and records a size. The file gets its name while the photo's row is locked, so that it can't outlive the
  /// photo.
  private func storeSize(
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
      // An existing file with equal bytes was to be reused, but was deleted meanwhile. Try again.
    }
    throw .fault(.blobVanished)
  }

  /// The limit for all sizes of photos in bytes, 5 GB.
  package static let sizeSpace = 5_000_000_000

  /// Deletes the files of the least recently used sizes until the rest takes at most this many bytes.
  ///
  /// - Parameter dryRun: only reports what would be deleted.
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
  /// Creates the picture of a size on record.
  package init(_ picture: RecordedPicture, _ size: PhotoSize? = nil) {
    self.init(
      path: picture.place.relativePath, format: picture.place.format, sizeBytes: picture.sizeBytes,
      sha256: picture.place.sha256, pixelWidth: size?.width ?? 0, pixelHeight: size?.height ?? 0,
      frameCount: 1)
  }
}
