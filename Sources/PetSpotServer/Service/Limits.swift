import Glibc
import PhotoAttachments
import PhotoIngestion
import PhotoUploads
import ReportFlow

/// The limits of what clients may send and store.
struct Limits: UploadSite {
  let clients: ClientRateLimiter
  let bodies: BodyLimiter
  let freeSpace: FreeSpace
  /// The size limit of a photo in bytes.
  let photoBytes: Int
  /// The space of web drafts.
  let drafts: DraftSpace
  private let files: WorkerPool

  init(_ configuration: ServerConfiguration, _ stores: Stores) {
    clients = ClientRateLimiter(configuration)
    bodies = BodyLimiter(
      limits: .init(
        perClient: configuration.shares.bodies, total: DescriptorShares().bodies))
    freeSpace = FreeSpace(folder: stores.photos.folder.path, kept: configuration.keepFree)
    photoBytes = configuration.uploadLimit
    drafts = configuration.drafts
    files = stores.files
  }

  /// Checks that the disk has room for a body. Call it before the body is read.
  ///
  /// - Parameter bytes: the size of the body. `nil` if it's unknown.
  /// - Throws: 507.
  func checkFreeSpace(for bytes: Int? = nil) async throws {
    // Larger bodies are rejected later as too large.
    let bytes = min(bytes ?? 0, 2 * photoBytes)
    if try await files.run({ freeSpace.isLow(for: bytes) }) {
      throw StoreError.storageFull(operation: "reserve", path: freeSpace.folder, errno: ENOSPC)
    }
  }

  /// Returns the response to an error.
  func failure(for error: any Error) -> HTTPFailure? {
    ErrorResponse(cause: error).map { HTTPFailure($0) }
  }

  /// `true` if no report can be begun, because the disk is full.
  var isFull: Bool {
    get async throws { try await files.run { freeSpace.isLow() } }
  }

  /// Checks that the server can receive a photo, before its body is read.
  ///
  /// - Throws: 429 or 503 if too many photos wait, 507 if the disk is full.
  func checkRoom(forPhotoOf context: RequestContext, in gates: Gates) async throws {
    try gates.decoding.checkRoom(for: context.client)
    try await checkFreeSpace(for: context.contentLength)
  }
}
