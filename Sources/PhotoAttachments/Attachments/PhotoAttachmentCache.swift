// Status and metadata types that apps share.
@_exported public import PhotoModel
package import Foundation
import ImageContainers
package import Logging
package import PhotoIngestion
import Synchronization

/// Stores photos and records which of them drafts and announcements show. It covers stages 6 to 8 (store, record,
/// status; seed 028, "PhotoAttachmentCache"). Import and verification have types of their own that use the same catalog
/// and storage.
///
/// Open one cache per folder and process, and share it. Several processes may use one folder.
///
/// Pictures and records are changed in a fixed order:
///
/// * **Storing.** Pictures are written durably and named first. Then one catalog transaction checks that they are still
/// there and writes record and status.
/// * **Deleting.** Records are deleted first. Then pictures are deleted, while no record can come to refer to them.
///
/// So a record never refers to a missing picture. A picture without a record is rubbish that `sweep` deletes.
///
/// Functions that wait are `async` and block no thread of the caller. The catalog and the storage below block, on
/// threads of a pool that is made for this.
public final class PhotoAttachmentCache: Sendable {
  /// The folder of the cache's files on this machine.
  public let folder: CacheFolder
  /// Limits and the normalized form of photos.
  package let policy: PhotoPolicy
  /// The threads that prepare and store photos.
  package let pool: WorkerPool
  /// The place where `attach(_:to:)` decodes.
  package let decoding: PhotoDecoding
  /// The records and attachment states.
  package let catalog: Catalog
  /// The stored pictures.
  package let blobs: any BlobStorage
  package let now: @Sendable () -> Date
  let newID: @Sendable () -> UUID
  package let logger: Logger
  /// Sizes whose use is being recorded.
  let noting = Mutex<Set<PhotoSizeKey>>([])
  /// Sizes that are being made. Each one is made once, however many callers wait for it.
  let sizesInProgress = JointWork<PhotoSizeKey, StoredPicture>()
  /// Picture files that were recently compared with their digests before they were sent.
  let proved = ProvedFiles()

  /// A picture that could not be deleted, although no record refers to it.
  public struct NotDeleted: Sendable {
    package var place: BlobPath
    /// The reason.
    public var error: StoreError
  }

  /// Creates a cache from an open catalog and storage.
  ///
  /// - Parameters:
  ///   - folder: the folder of incomplete files on this machine.
  ///   - policy: limits and the normalized form of photos.
  ///   - pool: the threads that prepare and store photos.
  ///   - decoding: the place where `attach(_:to:)` decodes.
  ///   - now: the clock for `savedAt` and expiry.
  ///   - newID: makes photo identifiers.
  ///   - logger: receives problems that don't make a call fail.
  package init(
    _ folder: CacheFolder, catalog: Catalog, blobs: any BlobStorage,
    policy: PhotoPolicy, pool: WorkerPool, decoding: PhotoDecoding,
    now: @escaping @Sendable () -> Date = { Date() },
    newID: @escaping @Sendable () -> UUID = { UUID() }, logger: Logger
  ) {
    self.folder = folder
    self.catalog = catalog
    self.blobs = blobs
    self.policy = policy
    self.pool = pool
    self.decoding = decoding
    self.now = now
    self.newID = newID
    self.logger = logger
  }

  /// Closes files and connections. Calls in progress finish first. Later calls fail with
  /// `StoreError.database(.closed)`.
  public func close() async throws(StoreError) {
    try await threads.finish { [catalog] in try catalog.close() }
  }

  /// Frees memory that only serves as a cache.
  package func releaseMemory() { catalog.store.releaseMemory() }

  /// Attaches a photo that the caller prepares in its own way. Most callers use `attach(_:to:)`, which also
  /// documents how long the photo is kept.
  ///
  /// Begins an attempt, prepares the photo (stages 0 to 5), stores and records it, then deletes the photo that it
  /// replaces. Until then, and if anything fails, the previous photo stays.
  ///
  /// - Parameters:
  ///   - draft: the draft's identifier.
  ///   - owner: the owner of the attachment.
  ///   - assetIdentifier: the library photo that it was picked from.
  ///   - prepare: runs stages 0 to 5 and throws `PhotoError`. It is called once on a thread of `pool`.
  /// - Returns: the record of the confirmed photo, with its original's position.
  /// - Throws: `StoreError.photo` with the error of `prepare`. `.cancelled` if the task was cancelled, or if another
  ///   process took this one for dead and ended the attempt. `.superseded` if a later attempt replaced this one.
  ///   `.removed` if the attachment was removed meanwhile. Storage and catalog errors.
  @discardableResult
  package func save(
    draft: String, of owner: AttachmentOwner = .host, assetIdentifier: String? = nil,
    prepare: @escaping @Sendable () throws -> PreparedPhoto
  ) async throws(StoreError) -> AttachedPhoto {
    try await save(
      draft: draft, of: owner, assetIdentifier: assetIdentifier,
      preparing: { try await runBlocking(prepare) })
  }

  /// Attaches a photo whose `prepare` is asynchronous and waits for a thread by itself.
  @discardableResult
  package func save(
    draft: String, of owner: AttachmentOwner, assetIdentifier: String? = nil,
    preparing prepare: () async throws -> PreparedPhoto
  ) async throws(StoreError) -> AttachedPhoto {
    try checkCancellation()
    let catalog = catalog
    let now = now
    let ticket = try await threads.finish {
      try catalog.begin(draft: draft, of: owner, at: now())
    }
    defer { catalog.end(ticket) }
    do throws(StoreError) {
      let prepared: PreparedPhoto
      do { prepared = try await prepare() } catch { throw StoreError(error) }
      let (photo, applied) = try await store(prepared, assetIdentifier: assetIdentifier) {
        t, photo in
        let applied = try catalog.confirm(photo, of: draft, ticket: ticket, at: now(), t)
        return (applied, applied.gone)
      }
      guard applied.machine.state == .confirmed(photo.id) else {
        // This process was suspended for so long that another one took it for dead and ended the attempt.
        if applied.machine.failure == StoreError.cancelled.code { throw .cancelled }
        throw applied.machine == .init(.empty) ? .removed : .superseded
      }
      return AttachedPhoto(photo: photo, position: prepared.position)
    } catch {
      let code = error.code
      do throws(StoreError) {
        _ = try await threads.finish {
          try catalog.handle(.failed(ticket, code: code), draft: draft, at: now())
        }
      } catch {
        // The attempt stays "loading" in the catalog until its state is read again, because its ticket is no longer
        // active.
        logger.notice("failure not recorded", metadata: ["draft": "\(draft)", "error": "\(error)"])
      }
      throw error
    }
  }

  /// Stores a photo and calls `record` in a transaction that may record it.
  ///
  /// Another process may sweep a file after it is stored and before a record protects it. The transaction detects this,
  /// and the files are stored again. Pictures that weren't recorded, and those that the transaction releases, are
  /// deleted.
  ///
  /// - Parameter record: returns the pictures that it releases, or `nil` if it didn't record the photo.
  package func store<Value: Sendable>(
    _ prepared: PreparedPhoto, assetIdentifier: String? = nil,
    recording record:
      @escaping @Sendable (Transaction, StoredPhoto) throws -> (value: Value, gone: [BlobPath]?)
  ) async throws(StoreError) -> (photo: PhotoAttachmentMetadata, value: Value) {
    let id = newID()
    for _ in 0..<5 {
      try checkCancellation()
      let stored = try await runBlocking { [self] in
        try put(prepared, id: id, assetIdentifier: assetIdentifier)
      }
      let places = stored.places
      let done: (value: Value, gone: [BlobPath])?
      do throws(StoreError) {
        try checkCancellation()
        done = try await catalog.database.writing { [blobs] t in
          let (value, gone) = try record(t, stored.lock(in: blobs, t))
          return t.rollsBack ? nil : (value: value, gone: gone ?? places)
        }
      } catch {
        await release(places)
        throw error
      }
      guard let done else { continue }
      await release(done.gone)
      return (stored.photo, done.value)
    }
    throw .fault(.blobVanished)
  }

  /// Stores a photo's pictures in parallel. Blocks.
  func put(
    _ prepared: PreparedPhoto, id: UUID, assetIdentifier: String?
  ) throws -> PreparedAttachment {
    var pictures = [(prepared.blob, BlobPath.Kind.blob), (prepared.preview, .preview)]
    if let shared = prepared.shared { pictures.append((shared, .size)) }
    do {
      let stored = try pictures.concurrentMap { [blobs] in try blobs.put($0.0, kind: $0.1) }
      let photo = newPhoto(
        prepared.facts, id: id, assetIdentifier: assetIdentifier, blob: stored[0],
        preview: stored[1])
      let shared = try stored.dropFirst(2).first.map {
        MadeSize(
          name: SizeForm.shared(width: photo.blob.pixelWidth, height: photo.blob.pixelHeight).name,
          picture: RecordedPicture(try $0.place, sizeBytes: $0.sizeBytes))
      }
      return try PreparedAttachment(photo, position: prepared.position, shared: shared)
    } catch {
      _ = releaseNow(try pictures.map { try $0.0.place($0.1) })
      throw error
    }
  }

  /// Creates the metadata of a new photo with these facts, stored now.
  package func newPhoto(
    _ facts: PhotoFacts, id: UUID, assetIdentifier: String? = nil, blob: StoredPicture,
    preview: StoredPicture, url: URL? = nil
  ) -> PhotoAttachmentMetadata {
    PhotoAttachmentMetadata(
      id: id, facts: facts, assetIdentifier: assetIdentifier,
      cachedURL: url ?? BlobPath(relativePath: blob.path).map(blobs.url)
        ?? URL(fileURLWithPath: "/"),
      savedAt: Date(milliseconds: now().milliseconds), blob: blob, preview: preview)
  }

  /// Returns the metadata in a record.
  ///
  /// - Throws: `StoreError.database(.damaged)` if the record contains impossible values.
  package func metadata(of record: SealedRecord) throws(StoreError) -> PhotoAttachmentMetadata {
    try record.metadata(at: blobs.url)
  }

  private func checkCancellation() throws(StoreError) {
    if Task.isCancelled { throw .cancelled }
  }

  /// The threads on which transactions may block.
  package var threads: WorkerPool { catalog.database.threads }

  /// Runs blocking work on a thread of a pool. The default is the cache's own pool.
  func runBlocking<T: Sendable>(
    on pool: WorkerPool? = nil, _ work: @escaping @Sendable () throws -> T
  ) async throws(StoreError) -> T {
    do { return try await (pool ?? self.pool).run(work) } catch { throw StoreError(error) }
  }
}
