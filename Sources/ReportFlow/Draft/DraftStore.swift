public import Foundation
public import Logging
public import PhotoAttachments
import PhotoIngestion

/// A draft that was read, with the revision by which later changes are noticed.
public struct StoredDraft: Sendable {
  /// The draft.
  public let draft: ReportDraft
  /// Another one after every write.
  public let revision: Int64
}

/// Encodes, decodes and stores drafts. All functions throw the errors of `RecordedDrafts`, which
/// blocks.
public struct DraftStore: Sendable {
  let storage: RecordedDrafts
  private let knownSecret = StoreSecret()
  private let logger: Logger

  /// The drafts in the database that `photos` are recorded in.
  public init(_ photos: PhotoAttachmentCache, logger: Logger) {
    (storage, self.logger) = (RecordedDrafts(photos), logger)
  }

  private var threads: WorkerPool { storage.photos.catalog.database.threads }

  /// The draft of this id; nil when there is none.
  ///
  /// - Throws: `StoreError.database` for a draft that cannot be read, which stays as it is:
  ///   `newer-draft` with its version, `damaged-draft` with what is wrong.
  public func load(_ id: String) async throws(StoreError) -> StoredDraft? {
    try await threads.finish { try storage.load(id, logger) }
  }

  /// Writes the draft through to the disk before it returns, unless another process has written or
  /// deleted it since it was read.
  ///
  /// - Parameters:
  ///   - draft: what is written.
  ///   - revision: the revision it was read with; nil when there was none.
  ///   - now: when it was changed, by which it expires.
  ///   - client: the client that makes it, which makes it a web draft (see `DraftSpace`).
  /// - Returns: its new revision; nil when nothing was written because there is another one.
  public func save(
    _ draft: ReportDraft, over revision: Int64?, now: Date, client: String? = nil
  ) async throws(StoreError) -> Int64? {
    try await threads.finish {
      try storage.save(draft, over: revision, now: now, client: client)
    }
  }

  /// Makes room in the space of web drafts, see `RecordedDrafts.makeRoom`.
  public func makeRoom(
    for bytes: Int? = nil, draft: String? = nil, client: String? = nil, in space: DraftSpace,
    now: Date = Date(), dryRun: Bool = false
  ) async throws(StoreError) -> DraftRoom {
    try await threads.finish {
      try storage.makeRoom(
        for: bytes, draft: draft, client: client, in: space, at: now, dryRun: dryRun)
    }
  }

  /// Whether the draft of this id was submitted: then its photo belongs to the announcement, and
  /// another one would belong to nothing. Where no report was ever kept there is none.
  public func isSubmitted(_ id: String) async throws(StoreError) -> Bool {
    try await threads.finish { try storage.isSubmitted(id) }
  }

  /// 32 bytes that only programs on these drafts know, the same ones always: for signing what names a
  /// draft.
  public func secret() async throws(StoreError) -> Data {
    try await knownSecret.value { () async throws(StoreError) in
      try await threads.finish { try storage.secret() }
    }
  }

  /// Deletes the draft; deleting none is no error.
  public func delete(_ id: String) async throws(StoreError) {
    try await threads.finish { try storage.delete(id) }
  }

  /// Deletes drafts untouched since `date`, and what they left half announced, see
  /// `RecordedDrafts.expire`; a dry run only counts.
  ///
  /// - Returns: how many drafts without a photo were deleted, or would be.
  public func expire(before date: Date, dryRun: Bool) async throws(StoreError) -> Int {
    try await threads.finish { try storage.expire(before: date, dryRun: dryRun) }
  }

  /// The ids of drafts last changed before `date`, by default of all, the oldest first.
  public func ids(untouchedSince date: Date? = nil) async throws(StoreError) -> [String] {
    try await threads.finish { try storage.ids(untouchedSince: date) }
  }
}

extension RecordedDrafts {
  func load(_ id: String, _ logger: Logger) throws(StoreError) -> StoredDraft? {
    guard let record = try draft(id) else { return nil }
    do {
      let draft = try JSONDecoder().decode(ReportDraft.self, from: Data(record.content.utf8))
      return StoredDraft(draft: draft, revision: record.revision)
    } catch let error as NewerDraft {
      throw .database(.newerDraft, detail: "\(error.version)")
    } catch {
      logger.error("draft unreadable", metadata: ["draft": "\(id)", "error": "\(error)"])
      throw .database(.damagedDraft, detail: "\(error)")
    }
  }

  func save(
    _ draft: ReportDraft, over revision: Int64?, now: Date, client: String? = nil
  ) throws(StoreError) -> Int64? {
    let content: String
    do {
      content = String(decoding: try JSONEncoder().encode(draft), as: UTF8.self)
    } catch {
      throw .database(.failed, detail: "\(error)")
    }
    return try write(content, of: draft.id, over: revision, at: now, client: client)
  }
}
