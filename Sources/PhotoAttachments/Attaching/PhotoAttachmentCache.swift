import Dispatch
package import Foundation
import ImageContainers
package import Logging
public import PhotoIngestion

/// Keeps photos and what drafts show of them: stages 6 to 8 (store, record, status; seed 028,
/// "PhotoAttachmentCache"). Importing, verifying and sweeping are acts of their own over the same
/// catalog and storage.
///
/// Open one cache per folder and process and share it. Several processes may use one folder.
///
/// Pictures and records follow one order. *Storing*: pictures are durable and named first; then one
/// act of the catalog checks that they are still there and writes record and status. *Deleting*:
/// records go first; then pictures go, while no record can come to refer to them. So no record ever
/// points at nothing, and a picture without a record is rubbish for `sweep`.
///
/// Functions that are not `async` block the calling thread for one small use of the catalog, at most
/// for the busy timeout.
public final class PhotoAttachmentCache: Sendable {
  /// Where everything lies.
  public let folder: CacheFolder
  /// Limits and the normalized form.
  public let policy: PhotoPolicy
  /// The threads that prepare and store photos.
  public let pool: WorkerPool
  /// The processes that `attach(_:draft:)` decodes in; nil decodes in this one.
  public let decoders: DecoderPool?
  /// Records and states.
  package let catalog: any PhotoCatalog
  /// Pictures.
  package let blobs: any BlobStorage
  let now: @Sendable () -> Date
  let newID: @Sendable () -> UUID
  let logger: Logger
  /// Where async functions wait for the catalog: neither on a thread of the caller's nor on one that
  /// prepares photos.
  private let desk = DispatchQueue(label: "petspot.catalog")

  /// A cache over a catalog and a storage that were opened.
  ///
  /// - Parameters:
  ///   - folder: where files of this machine lie that are not complete yet.
  ///   - policy: limits and the normalized form.
  ///   - pool: the threads that prepare and store photos.
  ///   - decoders: the processes that `attach(_:draft:)` decodes in; nil decodes in this one.
  ///   - now: the clock, for `savedAt` and expiry.
  ///   - newID: makes photo identifiers.
  ///   - logger: hears what goes wrong without failing a call.
  package init(
    _ folder: CacheFolder, catalog: any PhotoCatalog, blobs: any BlobStorage,
    policy: PhotoPolicy, pool: WorkerPool, decoders: DecoderPool?,
    now: @escaping @Sendable () -> Date, newID: @escaping @Sendable () -> UUID, logger: Logger
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
  /// `PhotoError.database("closed")`.
  public func close() throws(PhotoError) { try catalog.close() }

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
    try checkCancellation()
    let (catalog, now) = (catalog, now)
    let ticket = try await act { () throws(PhotoError) in
      try catalog.begin(draft: draft, at: now())
    }
    defer { catalog.end(ticket) }
    do throws(PhotoError) {
      let prepared = try await run { try prepare() }
      return try await keep(
        prepared, draft: draft, ticket: ticket, assetIdentifier: assetIdentifier)
    } catch {
      let code = error.code
      do throws(PhotoError) {
        _ = try await act { () throws(PhotoError) in
          try catalog.handle(.failed(ticket, code: code), draft: draft, at: now())
        }
      } catch {
        // The attempt stays "loading" in the catalog until the next look at it; its ticket is dead.
        logger.notice("failure not recorded", metadata: ["draft": "\(draft)", "error": "\(error)"])
      }
      throw error
    }
  }

  /// Stores and records. Another process may sweep a file between the two, before a record protects
  /// it; recording sees that, and the files are stored again.
  private func keep(
    _ prepared: PreparedPhoto, draft: String, ticket: AttachmentRecord.Machine.Ticket,
    assetIdentifier: String?
  ) async throws(PhotoError) -> PhotoAttachmentMetadata {
    let id = newID()
    for _ in 0..<5 {
      try checkCancellation()
      let photo = try await run { [self] in
        newPhoto(
          prepared.facts, id: id, assetIdentifier: assetIdentifier,
          blob: try blobs.put(prepared.blob, kind: .blob),
          preview: try blobs.put(prepared.preview, kind: .preview))
      }
      try checkCancellation()
      let record = try SealedRecord(photo)
      let applied = try await act { [self] () throws(PhotoError) in
        try catalog.confirm(record, draft: draft, ticket: ticket, at: now()) {
          () throws(PhotoError) in try blobs.holds(record)
        }
      }
      guard let applied else { continue }
      await release(applied.gone)
      guard applied.machine.state == .confirmed(id) else { throw .interrupted }
      return photo
    }
    throw .fault(what: "blob-vanished")
  }

  /// A new photo with these facts, stored now.
  package func newPhoto(
    _ facts: PhotoFacts, id: UUID, assetIdentifier: String? = nil, blob: StoredPicture,
    preview: StoredPicture
  ) -> PhotoAttachmentMetadata {
    PhotoAttachmentMetadata(
      id: id, facts: facts, assetIdentifier: assetIdentifier,
      cachedURL: BlobPath(relativePath: blob.path).map(blobs.url) ?? URL(fileURLWithPath: "/"),
      savedAt: Date(milliseconds: now().milliseconds), blob: blob, preview: preview)
  }

  /// The photo of a record.
  ///
  /// - Throws: `PhotoError.database("damaged")` when the record says what cannot be.
  package func metadata(of record: SealedRecord) throws(PhotoError) -> PhotoAttachmentMetadata {
    try record.metadata(at: blobs.url)
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

  /// Runs an act of the catalog without blocking the caller's thread. A cancelled task's act runs all
  /// the same: the way out has to be recorded too.
  package func act<T: Sendable>(
    _ work: @escaping @Sendable () throws(PhotoError) -> T
  ) async throws(PhotoError) -> T {
    let result: Result<T, PhotoError> = await withCheckedContinuation { continuation in
      desk.async {
        do throws(PhotoError) {
          continuation.resume(returning: .success(try work()))
        } catch {
          continuation.resume(returning: .failure(error))
        }
      }
    }
    return try result.get()
  }
}
