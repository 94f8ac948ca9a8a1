import Foundation
import Hummingbird
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
  let clients: ClientWatch
  let meter = Meter()
  /// Who may wait for a decoder.
  let uploads: AdmissionGate
  /// Threads for files, apart from those that decode.
  let files = WorkerPool(threadCount: 4, waitingJobs: 1024)
  /// Uploads that may stop and go on.
  let resumable: any UploadStorage
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
    clients = ClientWatch(configuration)
    uploads = AdmissionGate(most: configuration.waitingUploads)
    self.resumable =
      resumable
      ?? UploadStore(
        folder: UploadFolder(path: photos.folder.path + "/uploads"),
        limits: configuration.uploads)
  }
}
