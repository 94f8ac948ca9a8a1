import Logging
import PhotoAttachments
import PhotoUploads

/// The parts of a server, and how they depend on each other.
struct ServerParts: Sendable {
  let configuration: ServerConfiguration
  let logger: Logger
  let stores: Stores
  let gates: Gates
  let limits: Limits
  let checks: StoreChecks
  let watch: StoreWatch
  let sizes: SizeMaker
  /// Resumable uploads.
  let uploads: UploadActs
  let streams: StatusStreams
  let security: SecurityHeaders
  let accessLog: AccessLog
  let address = ListeningAddress()
  let problemLog = ProblemLog()

  init(
    _ stores: Stores, uploads storage: (any UploadStorage)?, _ configuration: ServerConfiguration,
    logger: Logger
  ) {
    self.configuration = configuration
    self.logger = logger
    self.stores = stores
    gates = Gates(configuration)
    limits = Limits(configuration, stores)
    checks = StoreChecks(stores)
    watch = StoreWatch(stores, checks, limits.freeSpace, logger: logger)
    sizes = SizeMaker(stores.photos, gates.decoding)
    uploads = UploadActs(
      UploadRules(
        storage ?? FolderUploads(UploadFolder(beside: stores.photos.folder)),
        limits: configuration.uploads),
      site: limits, files: stores.files,
      waits: UploadWaits(perClient: configuration.shares.uploadWaits))
    streams = StatusStreams(perClient: configuration.shares.streams)
    security = SecurityHeaders(
      isTLS: configuration.tls != nil, isLibrary: configuration.librarySecret != nil)
    accessLog = AccessLog(logger)
    address.setAddress(nil, configuration)
  }
}
