// Status and metadata: values that apps share.
@_exported public import Announcements
package import Foundation
import ImageContainers
package import Logging
public import PhotoIngestion
import Synchronization

/// Stores photos, and which of them drafts and announcements show: stages 6 to 8 (store, record,
/// status; seed 028, "PhotoAttachmentCache"). Importing and verifying have types of their own, over
/// the same catalog and storage.
///
/// Open one cache per folder and process and share it. Several processes may use one folder.
///
/// Pictures and records follow one order. *Storing*: pictures are durable and named first; then one
/// transaction of the catalog checks that they are still there and writes record and status. *Deleting*:
/// records go first; then pictures go, while no record can come to refer to them. So no record ever
/// points at nothing, and a picture without a record is rubbish for `sweep`.
///
/// What waits is `async` and holds no thread of the caller's. Below it catalog and storage block: transactions are
/// functions of these, and wait on threads that may.
public final class PhotoAttachmentCache: Sendable {
  /// Where everything lies.
  public let folder: CacheFolder
  /// Limits and the normalized form.
  package let policy: PhotoPolicy
  /// The threads that prepare and store photos.
  package let pool: WorkerPool
  /// The processes that `attach(_:draft:)` decodes in; nil decodes in this one.
  package let decoders: DecoderPool?
  /// Records and states.
  package let catalog: Catalog
  /// Pictures.
  package let blobs: any BlobStorage
  package let now: @Sendable () -> Date
  let newID: @Sendable () -> UUID
  let logger: Logger
  /// Sizes whose use is being noted.
  let noting = Mutex<Set<PhotoSizeKey>>([])
  /// Files of pictures that are sent, and were compared with their digests.
  let proved = ProvedFiles()

  /// A picture that could not be deleted though no record refers to it, and why.
  public struct NotDeleted: Sendable {
    package var place: BlobPath
    /// Why.
    public var error: StoreError
  }

  /// A cache over a catalog and a storage that were opened.
  ///
  /// - Parameters:
  ///   - folder: where files of this machine lie that are not complete yet.
  ///   - policy: limits and the normalized form.
  ///   - pool: the threads that prepare and store photos.
  ///   - decoders: the processes that `attach(_:draft:)` decodes in; nil decodes in this one.
  ///   - now: the clock, for `savedAt` and expiry.
  ///   - newID: makes photo identifiers.
  ///   - logger: gets what goes wrong without failing a call.
  package init(
    _ folder: CacheFolder, catalog: Catalog, blobs: any BlobStorage,
    policy: PhotoPolicy, pool: WorkerPool, decoders: DecoderPool?,
    now: @escaping @Sendable () -> Date = { Date() },
    newID: @escaping @Sendable () -> UUID = { UUID() }, logger: Logger
  ) {
    self.folder = folder
    self.catalog = catalog
    self.blobs = blobs
    self.policy = policy
    self.pool = pool
    self.decoders = decoders
    self.now = now
    self.newID = newID
    self.logger = logger
  }

  /// Lets go of files and connections. Calls under way end first; later ones fail with
  /// `StoreError.database(.closed)`.
  public func close() async throws(StoreError) {
    try await threads.finish { [catalog] in try catalog.close() }
  }

  /// Gives up memory that is only held to be faster.
  package func releaseMemory() { catalog.store.releaseMemory() }

  /// Attaches a photo to a draft: begins an attempt, prepares the photo (stages 0 to 5), stores and
  /// records it, then gives up the photo it replaces. Until then, and when anything fails, the last
  /// good photo stays. For photos that are prepared in a way of the caller's; the short
  /// way is `attach(_:draft:)`, which says how long the photo is kept.
  ///
  /// - Parameters:
  ///   - draft: the draft's identifier.
  ///   - owner: whose the attachment is.
  ///   - assetIdentifier: the library photo it was picked from.
  ///   - prepare: stages 0 to 5, which throws `PhotoError`; runs once on a thread of `pool`.
  /// - Returns: the record of the confirmed photo, with its original's position.
  /// - Throws: `StoreError.photo` with what `prepare` throws; `.cancelled` when the task was, or when
  ///   the attempt was ended because this process was taken for gone; `.superseded` by a later
  ///   attempt, `.removed` while on its way; storage and catalog errors.
  @discardableResult
  public func save(
    draft: String, of owner: AttachmentOwner = .host, assetIdentifier: String? = nil,
    prepare: @escaping @Sendable () throws -> PreparedPhoto
  ) async throws(StoreError) -> AttachedPhoto {
    try await save(
      draft: draft, of: owner, assetIdentifier: assetIdentifier,
      preparing: { try await run(prepare) })
  }

  /// Attaches a photo that is prepared by stages 0 to 5 which wait for a thread themselves.
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
        // This process stood still for so long that another one took it for gone and ended the attempt.
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
        // The attempt stays "loading" in the catalog until the next look at it; its ticket is dead.
        logger.notice("failure not recorded", metadata: ["draft": "\(draft)", "error": "\(error)"])
      }
      throw error
    }
  }

  /// Stores a photo, and lets a transaction record it or not. Another process may sweep a file between the
  /// two, before a record protects it; recording sees that, and the files are stored again. What was stored
  /// for nothing, and what the transaction gives up, is deleted.
  ///
  /// - Parameter record: returns the pictures that it gives up, nil when it didn't record the photo.
  package func store<Value: Sendable>(
    _ prepared: PreparedPhoto, assetIdentifier: String? = nil,
    recording record:
      @escaping @Sendable (Transaction, StoredPhoto) throws -> (value: Value, gone: [BlobPath]?)
  ) async throws(StoreError) -> (photo: PhotoAttachmentMetadata, value: Value) {
    let id = newID()
    for _ in 0..<5 {
      try checkCancellation()
      let (photo, shared) = try await run { [self] in
        try put(prepared, id: id, assetIdentifier: assetIdentifier)
      }
      let sealed = try SealedRecord(photo)
      let places = sealed.places + (shared.map { [$0.picture.place] } ?? [])
      let done: (value: Value, gone: [BlobPath])?
      do throws(StoreError) {
        try checkCancellation()
        done = try await catalog.database.writing { [blobs] t in
          let stored = StoredPhoto(sealed, try PhotoRows.lock(places, t), shared: shared) {
            try blobs.holds(sealed) && (try shared.map { try blobs.holds($0.picture) } ?? true)
          }
          let (value, gone) = try record(t, stored)
          return t.rollsBack ? nil : (value: value, gone: gone ?? places)
        }
      } catch {
        await release(places)
        throw error
      }
      guard let done else { continue }
      await release(done.gone)
      return (photo, done.value)
    }
    throw .fault(.blobVanished)
  }

  /// Stores a photo's pictures, all at the same time. Blocks.
  private func put(
    _ prepared: PreparedPhoto, id: UUID, assetIdentifier: String?
  ) throws -> (photo: PhotoAttachmentMetadata, shared: MadeSize?) {
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
      return (photo, shared)
    } catch {
      _ = releaseNow(try pictures.map { try $0.0.place($0.1) })
      throw error
    }
  }

  /// A new photo with these facts, stored now.
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

  /// The photo of a record.
  ///
  /// - Throws: `StoreError.database(.damaged)` when the record says what cannot be.
  package func metadata(of record: SealedRecord) throws(StoreError) -> PhotoAttachmentMetadata {
    try record.metadata(at: blobs.url)
  }

  private func checkCancellation() throws(StoreError) {
    if Task.isCancelled { throw .cancelled }
  }

  /// The threads on which transactions block.
  package var threads: WorkerPool { catalog.database.threads }

  /// Runs blocking work on a thread of a pool, the cache's own by default.
  func run<T: Sendable>(
    on pool: WorkerPool? = nil, _ work: @escaping @Sendable () throws -> T
  ) async throws(StoreError) -> T {
    do { return try await (pool ?? self.pool).run(work) } catch { throw StoreError(error) }
  }
}
