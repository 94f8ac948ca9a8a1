import Announcements
import Foundation
import Logging
import PhotoAttachments
import PhotoIngestion
import PhotoStoreSQLite
import ReportFlow

/// What commands keep and find: photos, drafts and announcements.
struct Stores: Sendable {
  let photos: PhotoAttachmentCache
  let drafts: DraftStore
  let announcements: any AnnouncementRepositoryProtocol
}

extension GlobalOptions {
  /// Opens the stores in the cache folder, making what is missing; what drafts and announcements need
  /// is made with the first use of them. The only place that knows which stores these are.
  ///
  /// - Parameters:
  ///   - pool: the threads that prepare and store photos.
  ///   - decoders: the processes that attached photos are decoded in.
  ///   - patience: seconds to wait while another process writes, unless `PETSPOT_BUSY_SECONDS` says
  ///     so.
  func openStores(
    pool: WorkerPool = WorkerPool(), decoders: DecoderPool? = DecoderPool(),
    patience: TimeInterval = 10
  ) throws(StoreError) -> Stores {
    let named = getenv("PETSPOT_BUSY_SECONDS").flatMap { Double(String(cString: $0)) }
    let photos = try PhotoAttachmentCache.open(
      cacheFolder, busyTimeout: named.map { min(max($0, 0), 3600) } ?? patience, pool: pool,
      decoders: decoders)
    let (reports, logger) = (ReportDatabase(photos), Logger(label: "petspot"))
    return Stores(
      photos: photos, drafts: DraftStore(SQLiteDrafts(reports), logger: logger),
      announcements: SQLiteAnnouncementRepository(reports, logger: logger))
  }
}
