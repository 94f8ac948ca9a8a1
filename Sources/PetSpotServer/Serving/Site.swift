import Announcements
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
  let announcements: any AnnouncementRepositoryProtocol
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
  let resumable: UploadStore
  let logger: Logger

  init(
    photos: PhotoAttachmentCache, drafts: DraftStore,
    announcements: any AnnouncementRepositoryProtocol, configuration: ServerConfiguration,
    logger: Logger
  ) {
    (self.photos, self.drafts, self.announcements) = (photos, drafts, announcements)
    (self.configuration, self.logger) = (configuration, logger)
    hosts = HostGuard(configuration)
    security = SecurityHeaders(isTLS: configuration.tls != nil)
    clients = ClientWatch(configuration)
    uploads = AdmissionGate(most: configuration.waitingUploads)
    var limits = UploadLimits()
    limits.length = configuration.uploadLimit
    if !configuration.limitsClients { limits.openPerClient = limits.open }
    resumable = UploadStore(
      folder: UploadFolder(path: photos.folder.path + "/uploads"), limits: limits)
  }
}

extension Site {
  /// Every address that is answered.
  var routes: [Route] {
    let announcing = AnnouncementsResource(site: self)
    let photos = AnnouncementPhotosResource(site: self)
    let uploads = TusResource(site: self, owner: photos.uploadOwner)
    return [
      Route(.get, "/api/health", HealthResource(site: self).show),
      Route(.get, "/api/openapi.json", OpenAPIResource.show),
      Route(.get, "/api/v1/announcements", announcing.list),
      Route(.post, "/api/v1/announcements", announcing.create),
      Route(.get, "/api/v1/announcements/{id}", announcing.show),
      Route(.delete, "/api/v1/announcements/{id}", announcing.close),
      Route(.post, "/api/v1/announcements/{id}/photos", photos.receive),
      Route(.options, "/api/v1/announcements/{id}/uploads", uploads.options),
      Route(.post, "/api/v1/announcements/{id}/uploads", uploads.create),
      Route(.options, "/api/v1/announcements/{id}/uploads/{token}", uploads.options),
      Route(.head, "/api/v1/announcements/{id}/uploads/{token}", uploads.show),
      Route(.patch, "/api/v1/announcements/{id}/uploads/{token}", uploads.append),
      Route(.delete, "/api/v1/announcements/{id}/uploads/{token}", uploads.remove),
      Route(.post, "/api/announcements", announcing.createWithPhoto),
      Route(.get, "/images/{name}", ImagesResource(site: self).show),
    ]
  }
}
