import Foundation
import HummingbirdCore
import Logging
import Metrics
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
  let guards: RequestGuards
  let security: SecurityHeaders
  let clients: ClientRateLimiter
  let accessLog: AccessLog
  /// Request bodies under way.
  let bodies: BodyLimiter
  /// Turns at the decoders, of photos that come in and of sizes. One decoder is reserved for light photos, and huge
  /// ones get one fewer than heavy ones.
  let decoding: FairQueue
  /// Searches, that read or wait for it.
  let searches: FairQueue
  /// Pages and parts of lists that are made or wait for it.
  let pages: FairQueue
  /// Requests that were sent before the response to the one before them.
  let pipelined: FairQueue
  /// Requests for lost codes that wait.
  let lostCodes = LostCodes()
  /// Sizes of photos that are being made.
  let sizes: SizeMaker
  /// Threads for files, apart from those that decode.
  let files = WorkerPool(threadCount: 4)
  /// Uploads that may stop and go on.
  let uploads: UploadRules
  /// Those of them whose bytes are arriving.
  let receiving = ReceivingUploads()
  /// Photos that were attached with an `Idempotency-Key`.
  let replies = PhotoReplies()
  /// Requests that wait for one of them.
  let waits: UploadWaits
  /// Event streams that are open.
  let streams: StatusStreams
  /// Whether the stores answer.
  let checks: StoreChecks
  /// What looks after the stores and the disk.
  let watch: StoreWatch
  /// What is logged of requests that failed for a reason that a person has to act on.
  let troubles = TroubleLog()
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
        // A photo that waits holds the place of its body, and other bodies need places, too.
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

  /// The announcements, for what a client creates and adds, by whom that is counted.
  func announcements(for client: ClientNetwork) -> AnnouncementStore {
    announcements.creating(for: client.text, photoBytes: configuration.shares.photoBytes)
  }

  /// The same, which sends the owner's code in the language of the request.
  func announcements(for context: RequestContext) -> AnnouncementStore {
    let words = PageRenderer(context, on: self).words
    return announcements(for: context.client)
      .sending(sendsMail ? MailLetters(words, base: context.base) : nil)
  }

  /// Whether owners are sent their codes.
  var sendsMail: Bool { configuration.mail != nil }

  /// Which of the fields pages ask for: an e-mail only where mail is sent (decision 62).
  func asked(_ fields: [FormField]) -> [FormField] {
    fields.filter { $0 != .email || sendsMail }
  }

  /// Takes a photo in, in its client's turns at the decoders, and counts what became of it.
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

  /// How much of the disk stays free.
  var freeSpace: FreeSpace { FreeSpace(folder: photos.folder.path, kept: configuration.keepFree) }
}
