public import Announcements
public import Foundation
import Logging
public import PhotoAttachments
public import PhotoIngestion
import PhotoStoreSQLite
public import ReportFlow

/// What commands and servers keep and find: photos, drafts and announcements.
public struct Stores: Sendable {
  /// Photos and what drafts show of them.
  public let photos: PhotoAttachmentCache
  /// Reports under way.
  public let drafts: DraftStore
  /// Announcements.
  public let announcements: any AnnouncementRepositoryProtocol

  /// Opens the stores in a cache folder, making what is missing; what drafts and announcements need is
  /// made with the first use of them. The only place that knows which stores these are.
  ///
  /// - Parameters:
  ///   - policy: limits of photos.
  ///   - pool: the threads that prepare and store photos.
  ///   - decoders: the processes that attached photos are decoded in.
  ///   - patience: seconds to wait while another process writes, unless `PETSPOT_BUSY_SECONDS` says
  ///     so.
  /// - Throws: `StoreError` of the folder or the catalog.
  public static func open(
    _ folder: CacheFolder, policy: PhotoPolicy = .init(), pool: WorkerPool,
    decoders: DecoderPool?, patience: TimeInterval
  ) throws(StoreError) -> Self {
    let named = getenv("PETSPOT_BUSY_SECONDS").flatMap { Double(String(cString: $0)) }
    let photos = try PhotoAttachmentCache.open(
      folder, policy: policy, busyTimeout: named.map { min(max($0, 0), 3600) } ?? patience,
      pool: pool, decoders: decoders)
    let (reports, logger) = (ReportDatabase(photos), Logger(label: "petspot"))
    return Stores(
      photos: photos, drafts: DraftStore(SQLiteDrafts(reports), logger: logger),
      announcements: SQLiteAnnouncementRepository(reports, logger: logger))
  }
}
