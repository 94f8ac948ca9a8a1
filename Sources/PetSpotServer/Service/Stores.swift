import Announcements
import Foundation
import HummingbirdCore
import Logging
import PhotoAttachments
import PhotoIngestion
import PhotoUploads
import ReportFlow

/// The stores of a server.
struct Stores: Sendable {
  let photos: PhotoAttachmentCache
  let drafts: DraftStore
  let announcements: AnnouncementStore
  let species: TaxonomySource
  /// `true` if owners receive their codes by mail.
  var sendsMail = false
  /// The bytes that each client may add to the announced pictures in 30 days. `nil` means no limit.
  var photoBytesPerClient: Int?
  /// Threads for files. Decoders have their own.
  let files = WorkerPool(threadCount: 4)

  /// The place where arriving photos are written.
  var spool: PhotoSpool { PhotoSpool(photos.folder, on: files) }

  /// The key that signs cookies.
  var cookieKey: [UInt8] {
    get async throws { Array(try await drafts.secret()) }
  }

  /// Returns the fields that pages show. Email is one of them only if the server sends mail (decision 62).
  func asked(_ fields: [FormField]) -> [FormField] {
    fields.filter { $0 != .email || sendsMail }
  }

  /// Returns the announcement store, which counts what a client creates and adds against its share.
  func announcements(for client: ClientNetwork) -> AnnouncementStore {
    announcements.chargingCreations(to: client.text, photoBytes: photoBytesPerClient)
  }

  /// Returns the announcement store for a request. It sends owners' codes in the request's language.
  func announcements(for context: RequestContext) -> AnnouncementStore {
    let words = Words(
      Language(of: context.request.headers, orElse: context.siteOperator.language))
    return announcements(for: context.client)
      .mailingCodes(with: sendsMail ? MailLetters(words, base: context.base) : nil)
  }

  /// Returns the photo of an announcement, or `nil` without a photo.
  func photo(of announcement: Announcement) async throws -> PhotoAttachmentMetadata? {
    guard let id = announcement.details.photoID else { return nil }
    return try await photos.photo(id: id)
  }
}

extension Stores {
  /// Returns a part of the list. A search waits for its client's turn, and is canceled if the client leaves.
  ///
  /// - Throws: 429 if too many searches of the client wait, 503 if too many wait in total.
  func list(
    _ query: AnnouncementListQuery, budget: Int = AnnouncementStore.maxLookedAt, in gates: Gates,
    for context: RequestContext
  ) async throws -> AnnouncementList {
    if query.isLookUp { return try await announcements.list(matching: query, budget: budget) }
    return try await context.whileClientWaits {
      try await gates.searches.pass(context.client) {
        try await announcements.list(matching: query, budget: budget)
      }
    }
  }

  /// Returns the list for a page. Logs the error and returns `nil` if the list can't be read.
  ///
  /// - Throws: refusals of the request; errors of unreachable stores; `CancellationError`.
  func listOrLog(
    _ query: AnnouncementListQuery, in gates: Gates, for context: RequestContext
  ) async throws -> AnnouncementList? {
    do { return try await list(query, in: gates, for: context) } catch {
      let cause = ErrorResponse(cause: error)?.cause
      if error is ErrorResponse || error is CancellationError || cause == .databaseDown
        || cause == .picturesDown
      {
        throw error
      }
      context.logger.error("list not read", metadata: ["error": "\(error)"])
      return nil
    }
  }
}

extension Stores {
  /// Attaches a photo to an owner's announcement, unless the announcement already shows it.
  func attach(
    _ source: PhotoSource, to owner: AnnouncementOwner, for client: ClientNetwork,
    in turns: DecoderTurns
  ) async throws -> Announcement {
    if let shown = try await findRepeated(source, owner.id) { return shown }
    let announcement = try await announcements(for: client).attachPhoto(
      try await photos.prepare(source, in: turns), to: owner)
    // The announcement may have been closed during the upload, so that the photo isn't visible.
    try announcement.requireOpen()
    return announcement
  }

  /// Returns the announcement if it already shows this photo under the same name, attached less than an hour ago. In
  /// that case, a client that missed the response has repeated its request.
  private func findRepeated(_ source: PhotoSource, _ id: String) async throws -> Announcement? {
    let announcement = try await announcements.announcement(id: id)
    guard announcement.status != .closed, let photo = try await photo(of: announcement),
      try await files.run({ try source.isRepeated(of: photo) })
    else { return nil }
    return announcement
  }
}
