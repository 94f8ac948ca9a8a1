public import Foundation
import GRDB
import Glibc
import ImageContainers
public import Logging
import Synchronization
public import PhotoIngestion

/// Keeps photos and what drafts show of them: stages 6 to 8 (store, record, status) and everything
/// that looks after what is stored (seed 028, "PhotoAttachmentCache").
///
/// Open one cache per folder and process and share it. Several processes may use one folder.
///
/// Files and rows follow one order. *Storing*: picture files are synced and named first; then one
/// transaction checks that they are still there and writes record and status. *Deleting*: rows go
/// first; after the commit, files go under a write transaction in which no row refers to them. So
/// no record ever points at nothing, and a file without a record is rubbish for `sweep`.
///
/// Functions that are not `async` block the calling thread for one small use of the catalog, at most
/// for the busy timeout; call them through `pool` where that is too long.
public final class PhotoAttachmentCache: Sendable {
  /// Where everything lies.
  public let folder: CacheFolder
  /// Limits and the normalized form.
  public let policy: PhotoPolicy
  /// The threads that prepare and store photos.
  public let pool: WorkerPool
  /// The processes that `attach(_:draft:)` decodes in; nil decodes in this one.
  public let decoders: DecoderPool?
  /// The database file.
  package let catalog: Catalog
  let blobs: BlobStore
  let watchers = StatusWatchers()
  let now: @Sendable () -> Date
  let newID: @Sendable () -> UUID
  let logger: Logger

  private init(
    _ folder: CacheFolder, policy: PhotoPolicy, pool: WorkerPool, decoders: DecoderPool?,
    catalog: Catalog, now: @escaping @Sendable () -> Date,
    newID: @escaping @Sendable () -> UUID, logger: Logger
  ) {
    self.folder = folder
    self.policy = policy
    self.pool = pool
    self.decoders = decoders
    self.catalog = catalog
    self.blobs = BlobStore(folder: folder)
    self.now = now
    self.newID = newID
    self.logger = logger
  }

  /// Opens the cache in a folder and makes what is missing.
  ///
  /// - Parameters:
  ///   - folder: where everything lies.
  ///   - policy: limits and the normalized form.
  ///   - busyTimeout: seconds to wait while another process writes to the catalog.
  ///   - pool: the threads that prepare and store photos.
  ///   - decoders: the processes that `attach(_:draft:)` decodes in: those of this program, unless
  ///     said otherwise. Nil decodes in this one, for photos of one's own.
  ///   - now: the clock, for `savedAt` and expiry.
  ///   - newID: makes photo identifiers.
  ///   - logger: hears what goes wrong without failing a call.
  /// - Throws: `PhotoError.cacheUnavailable` when the folder cannot be made or written;
  ///   `.unsafeCache` when it, or the catalog, is in others' hands;
  ///   `.database` when the catalog is damaged or of a newer version (nothing is deleted then);
  ///   `.busy`.
  public static func open(
    _ folder: CacheFolder, policy: PhotoPolicy = .init(), busyTimeout: TimeInterval = 10,
    pool: WorkerPool = WorkerPool(), decoders: DecoderPool? = DecoderPool(),
    now: @escaping @Sendable () -> Date = { Date() },
    newID: @escaping @Sendable () -> UUID = { UUID() }, logger: Logger = Logger(label: "petspot")
  ) throws(PhotoError) -> PhotoAttachmentCache {
    try folder.make()
    let hasPictures = try folder.hasPictures()
    if hasPictures, access(folder.catalog, F_OK) != 0 {
      logger.warning(
        "the catalog is gone and is made anew; pictures that are there are kept without a record",
        metadata: ["path": "\(folder.catalog)"])
    }
    try folder.secureCatalog()
    let catalog = try Catalog(
      path: folder.catalog, busyTimeout: busyTimeout, hasPictures: hasPictures)
    return PhotoAttachmentCache(
      folder, policy: policy, pool: pool, decoders: decoders, catalog: catalog, now: now,
      newID: newID, logger: logger)
  }

  /// Attaches a photo to a draft: begins an attempt, prepares the photo (stages 0 to 5), stores and
  /// records it, then gives up the photo it replaces. Until then, and when anything fails, the last
  /// good photo stays (decision 4). For photos that are prepared in a way of the caller's; the short
  /// way is `attach(_:draft:)`.
  ///
  /// - Parameters:
  ///   - draft: the draft's identifier.
  ///   - assetIdentifier: the library photo it was picked from (decision 11).
  ///   - prepare: stages 0 to 5; runs once on a thread of `pool`.
  /// - Returns: the record of the confirmed photo.
  /// - Throws: what `prepare` throws; `PhotoError.interrupted` when the task was cancelled or a later
  ///   attempt or a removal superseded this one; storage and catalog errors.
  @discardableResult
  public func save(
    draft: String, assetIdentifier: String? = nil,
    prepare: @escaping @Sendable () throws(PhotoError) -> PreparedPhoto
  ) async throws(PhotoError) -> PhotoAttachmentMetadata {
    let ticket = try await begin(draft)
    defer { LiveAttempts.end(ticket, in: folder) }
    do throws(PhotoError) {
      let prepared = try await run { try prepare() }
      return try await keep(
        prepared, draft: draft, ticket: ticket, assetIdentifier: assetIdentifier)
    } catch {
      let code = error.code
      do throws(PhotoError) {
        try await catalog.writeAsync { [self] db in
          _ = try apply(.failed(ticket, code: code), to: draft, db)
        }
      } catch {
        // The attempt stays "loading" in the catalog until the next look at it; its ticket is dead.
        logger.notice("failure not recorded", metadata: ["draft": "\(draft)", "error": "\(error)"])
      }
      throw error
    }
  }

  private func begin(_ draft: String) async throws(PhotoError) -> AttachmentRow.Machine.Ticket {
    try checkCancellation()
    let begun = Mutex<AttachmentRow.Machine.Ticket?>(nil)
    do throws(PhotoError) {
      return try await catalog.writeAsync { [self] db in
        let ticket = try AttachmentRow.issueTicket(db)
        // Before anybody can see the row.
        LiveAttempts.begin(ticket, in: folder)
        begun.withLock { $0 = ticket }
        _ = try apply(.pick(ticket), to: draft, db)
        return ticket
      }
    } catch {
      if let ticket = begun.withLock({ $0 }) { LiveAttempts.end(ticket, in: folder) }
      throw error
    }
  }

  /// Stores and records. Another process may sweep a file between the two, before a record protects
  /// it; the transaction sees that, and the files are stored again.
  private func keep(
    _ prepared: PreparedPhoto, draft: String, ticket: AttachmentRow.Machine.Ticket,
    assetIdentifier: String?
  ) async throws(PhotoError) -> PhotoAttachmentMetadata {
    let id = newID()
    for _ in 0..<5 {
      try checkCancellation()
      let photo = try await run { [self] in
        metadata(
          of: prepared, id: id, assetIdentifier: assetIdentifier,
          blob: try blobs.put(prepared.blob, kind: .blob),
          preview: try blobs.put(prepared.preview, kind: .preview))
      }
      try checkCancellation()
      let row = PhotoRow(photo)
      let outcome = try await catalog.writeAsync { [self] db -> Applied? in
        guard try isStored(row) else { return nil }
        try row.insertSealed(db)
        return try apply(.succeeded(ticket, id), to: draft, db)
      }
      guard let outcome else { continue }
      await release(outcome.gone)
      guard outcome.machine.state == .confirmed(id) else { throw .interrupted }
      return photo
    }
    throw .fault(what: "blob-vanished")
  }

  /// The record of a prepared photo.
  func metadata(
    of prepared: PreparedPhoto, id: UUID, assetIdentifier: String?, blob: StoredPicture,
    preview: StoredPicture
  ) -> PhotoAttachmentMetadata {
    PhotoAttachmentMetadata(
      id: id, fileName: prepared.fileName, fileSizeBytes: prepared.fileSizeBytes,
      uti: prepared.format.uti, pixelWidth: prepared.pixelWidth,
      pixelHeight: prepared.pixelHeight, assetIdentifier: assetIdentifier,
      cachedURL: URL(fileURLWithPath: folder.path + "/" + blob.path),
      savedAt: Date(milliseconds: now().milliseconds), source: prepared.source, blob: blob,
      preview: preview, normalization: prepared.normalization, form: prepared.form)
  }

  private func isStored(_ photo: PhotoRow) throws(PhotoError) -> Bool {
    let places = try photo.places
    let (blob, preview) = (try blobs.facts(places[0]), try blobs.facts(places[1]))
    return blob?.sizeBytes == photo.blobSizeBytes && preview?.sizeBytes == photo.previewSizeBytes
  }

  private func checkCancellation() throws(PhotoError) {
    if Task.isCancelled { throw .interrupted }
  }

  /// Runs blocking work on a thread of the pool.
  func run<T: Sendable>(
    _ work: @escaping @Sendable () throws -> T
  ) async throws(PhotoError) -> T {
    do {
      return try await pool.run(work)
    } catch let error as PhotoError {
      throw error
    } catch is CancellationError {
      throw .interrupted
    } catch {
      throw .fault(what: "unexpected")
    }
  }
}
