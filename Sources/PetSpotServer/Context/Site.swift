import Foundation
import HummingbirdCore
import Logging
import PhotoAttachments
import PhotoIngestion
import ReportFlow

/// What all handlers share.
struct Site: Sendable {
  let photos: PhotoAttachmentCache
  let drafts: DraftStore
  let announcements: AnnouncementStore
  /// The species one can choose from.
  let species: TaxonomySource
  let configuration: ServerConfiguration
  /// Where it can be reached.
  let address = ListeningAddress()
  let hosts: HostGuard
  let security: SecurityHeaders
  let clients: ClientRateLimiter
  let accessLog = AccessLog()
  /// Request bodies under way.
  let bodies: BodyLimiter
  /// Photos that are decoded or wait for it.
  let decoding: AdmissionGate
  /// Searches, that read or wait for it.
  let searches = AdmissionGate(.init(most: 2, waiting: 64))
  /// Pages and lists that are made or wait for it.
  let pages: AdmissionGate
  /// Sizes of photos that are being made.
  let sizes: SizeMaker
  /// Threads for files, apart from those that decode.
  let files = WorkerPool(threadCount: 4)
  /// Uploads that may stop and go on.
  let resumable: any UploadStorage
  /// Those of them whose bytes are arriving.
  let receiving = ReceivingUploads()
  let logger: Logger

  init(
    photos: PhotoAttachmentCache, drafts: DraftStore,
    announcements: AnnouncementStore, species: TaxonomySource,
    uploads resumable: (any UploadStorage)?, configuration: ServerConfiguration, logger: Logger
  ) {
    (self.photos, self.drafts, self.announcements) = (photos, drafts, announcements)
    (self.species, self.configuration, self.logger) = (species, configuration, logger)
    hosts = HostGuard(configuration)
    security = SecurityHeaders(isTLS: configuration.tls != nil)
    clients = ClientRateLimiter(configuration)
    bodies = BodyLimiter(
      limits: BodyLimiter.Limits(perClient: configuration.limitsClients ? 32 : nil))
    let cores = ProcessInfo.processInfo.activeProcessorCount
    decoding = AdmissionGate(
      .init(most: 4 * cores, waiting: configuration.waitingUploads))
    pages = AdmissionGate(.init(most: 4 * cores, waiting: 512))
    sizes = SizeMaker(
      photos,
      .init(
        ordinary: ServerConfiguration.ordinarySizes,
        waitingPerClient: configuration.limitsClients ? 32 : nil))
    self.resumable =
      resumable
      ?? UploadStore(
        folder: UploadFolder(path: photos.folder.path + "/uploads"),
        limits: configuration.uploads)
  }

  /// The announcements, for what a client creates and adds, by whom that is counted.
  func announcements(for client: ClientNetwork) -> AnnouncementStore {
    announcements.creating(for: client.text, photoBytes: configuration.photoBytesPerClient)
  }

  /// How much of the disk stays free.
  var freeSpace: FreeSpace { FreeSpace(folder: photos.folder.path, kept: configuration.keepFree) }
}
