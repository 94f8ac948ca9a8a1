import Foundation
import HummingbirdCore
import Logging
import Metrics
import PhotoAttachments
import PhotoIngestion
import ReportFlow

/// The stores, queues and limits that all handlers share.
struct Site: Sendable {
  let photos: PhotoAttachmentCache
  let drafts: DraftStore
  let announcements: AnnouncementStore
  let species: TaxonomySource
  let configuration: ServerConfiguration
  let address = ListeningAddress()
  let guards: RequestGuards
  let security: SecurityHeaders
  let clients: ClientRateLimiter
  let accessLog: AccessLog
  let bodies: BodyLimiter
  /// Turns at the decoders, for uploaded photos and for sizes. One decoder is reserved for light photos, and huge
  /// photos get one fewer than heavy ones.
  let decoding: FairQueue
  /// Searches that run or wait.
  let searches: FairQueue
  /// Pages and parts of lists that are being made or wait.
  let pages: FairQueue
  /// Requests that were sent before the response to the previous one.
  let pipelined: FairQueue
  let lostCodes = LostCodes()
  let sizes: SizeMaker
  /// Threads for files. Decoders have their own.
  let files = WorkerPool(threadCount: 4)
  /// Resumable uploads.
  let uploads: UploadRules
  /// Resumable uploads whose bytes are arriving.
  let receiving = ReceivingUploads()
  let replies = PhotoReplies()
  let waits: UploadWaits
  let streams: StatusStreams
  let checks: StoreChecks
  let watch: StoreWatch
  let problems = ProblemLog()
  let logger: Logger

  init(
    photos: PhotoAttachmentCache, drafts: DraftStore,
    announcements: AnnouncementStore, species: TaxonomySource,
    uploads: (any UploadStorage)?, configuration: ServerConfiguration, logger: Logger
  ) {
    (self.photos, self.drafts, self.announcements) = (photos, drafts, announcements)
    (self.species, self.configuration, self.logger) = (species, configuration, logger)
    guards = RequestGuards(configuration)
    security = SecurityHeaders(
      isTLS: configuration.tls != nil, isLibrary: configuration.librarySecret != nil)
    clients = ClientRateLimiter(configuration)
    accessLog = AccessLog(logger)
    let shares = configuration.shares
    let bodiesInAll = DescriptorShares().bodies
    bodies = BodyLimiter(limits: .init(perClient: shares.bodies, total: bodiesInAll))
    let decoders = ServerConfiguration.decoders
    decoding = FairQueue(
      .init(
        running: [decoders, decoders - 1, decoders - 2], waiting: configuration.waitingUploads,
        waitingPerClient: shares.decoders,
        // A waiting photo occupies the place of its body, and other bodies need places too.
        waitingInAll: bodiesInAll / 2))
    searches = FairQueue(.init(running: [2], waiting: 64, waitingPerClient: shares.searches))
    pages = FairQueue(
      .init(
        running: [4 * ProcessInfo.processInfo.activeProcessorCount], waiting: 512,
        waitingPerClient: shares.pages))
    pipelined = FairQueue(
      .init(running: [2 * ProcessInfo.processInfo.activeProcessorCount], waiting: 512))
    sizes = SizeMaker(photos, decoding)
    self.uploads = UploadRules(
      uploads ?? FolderUploads(UploadFolder(beside: photos.folder)),
      limits: configuration.uploads)
    waits = UploadWaits(perClient: shares.uploadWaits)
    streams = StatusStreams(perClient: shares.streams)
    let checks = StoreChecks { [files] in try await Self.check($0, photos, on: files) }
    self.checks = checks
    watch = StoreWatch(
      checks, FreeSpace(folder: photos.folder.path, kept: configuration.keepFree), on: files,
      servers: Set(
        [
          photos.catalog.database.dialect == .postgres ? .database : nil,
          photos.blobs.isRemote ? .pictures : nil,
        ].compactMap(\.self)), logger: logger)
  }

  /// Returns the announcement store, which counts what a client creates and adds against its share.
  func announcements(for client: ClientNetwork) -> AnnouncementStore {
    announcements.chargingCreations(to: client.text, photoBytes: configuration.shares.photoBytes)
  }

  /// Returns the announcement store for a request. It sends owners' codes in the request's language.
  func announcements(for context: RequestContext) -> AnnouncementStore {
    let words = Words(Language(of: context.request.headers))
    return announcements(for: context.client)
      .mailingCodes(with: sendsMail ? MailLetters(words, base: context.base) : nil)
  }

  /// `true` if owners receive their codes by mail.
  var sendsMail: Bool { configuration.mail != nil }

  /// Returns the fields that pages show. Email is one of them only if the server sends mail (decision 62).
  func asked(_ fields: [FormField]) -> [FormField] {
    fields.filter { $0 != .email || sendsMail }
  }

  /// Stores a photo in its client's turns at the decoders, and counts the outcome.
  func decode<Value>(
    for client: ClientNetwork, _ body: (_ turns: DecoderTurns) async throws -> Value
  ) async throws -> Value {
    do {
      let value = try await body(DecoderTurns(queue: decoding, client: client))
      PhotoOutcome.confirmed.counter.increment()
      return value
    } catch {
      PhotoOutcome(of: error)?.counter.increment()
      throw error
    }
  }

  var freeSpace: FreeSpace { FreeSpace(folder: photos.folder.path, kept: configuration.keepFree) }
}
