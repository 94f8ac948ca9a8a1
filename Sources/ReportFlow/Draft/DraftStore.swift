package import Foundation
public import Logging
public import PhotoAttachments
import PhotoIngestion

/// A draft that was read, with the revision that detects later changes.
package struct StoredDraft: Sendable {
  /// The draft.
  package let draft: ReportDraft
  /// The revision. Every write changes it.
  package let revision: Int64
}

/// Encodes, decodes and stores drafts. All functions run the blocking calls of `RecordedDrafts` on worker threads and
/// throw their errors.
public struct DraftStore: Sendable {
  package let storage: RecordedDrafts
  private let knownSecret = StoreSecret()
  private let logger: Logger

  /// Creates a store in the database that contains the records of `photos`.
  public init(_ photos: PhotoAttachmentCache, logger: Logger) {
    storage = RecordedDrafts(photos)
    self.logger = logger
  }

  private var threads: WorkerPool { storage.photos.catalog.database.threads }

  /// Returns the draft with this id, or `nil` if there is no such draft.
  ///
  /// - Throws: `StoreError.database` if the draft can't be read: `newer-draft` with its version, or `damaged-draft`
  ///   with the decoding error. The stored draft stays unchanged.
  package func load(_ id: String) async throws(StoreError) -> StoredDraft? {
    try await threads.finish { try storage.load(id, logger) }
  }

  /// Stores the draft durably before it returns, unless another process has written or deleted it since it was read.
  ///
  /// - Parameters:
  ///   - draft: the draft to write.
  ///   - revision: the revision that was read, or `nil` for a new draft.
  ///   - now: the time of the change. The draft's expiry counts from it.
  ///   - client: the client that creates the draft, which makes it a web draft (see `DraftSpace`).
  /// - Returns: the new revision, or `nil` if another process's version was found and nothing was written.
  package func save(
    _ draft: ReportDraft, over revision: Int64?, now: Date, client: String? = nil
  ) async throws(StoreError) -> Int64? {
    try await threads.finish {
      try storage.save(draft, over: revision, now: now, client: client)
    }
  }

  /// Makes room in the space for web drafts. See `RecordedDrafts.makeRoom`.
  package func makeRoom(
    for bytes: Int? = nil, draft: String? = nil, client: String? = nil, in space: DraftSpace,
    now: Date = Date(), dryRun: Bool = false
  ) async throws(StoreError) -> DraftRoom {
    try await threads.finish {
      try storage.makeRoom(
        for: bytes, draft: draft, client: client, in: space, at: now, dryRun: dryRun)
    }
  }

  /// Returns `true` if the draft was submitted. Its photo then belongs to the announcement, and another photo would
  /// belong to nothing. Returns `false` if no report was ever stored.
  package func isSubmitted(_ id: String) async throws(StoreError) -> Bool {
    try await threads.finish { try storage.isSubmitted(id) }
  }

  /// Returns 32 secret bytes that are shared by all programs on this database and don't change while it has a draft or
  /// an announcement. They sign values that name a draft.
  package func secret() async throws(StoreError) -> Data {
    try await knownSecret.value { () async throws(StoreError) in
      try await threads.finish { try storage.secret() }
    }
  }

  /// Deletes the draft. Succeeds if it doesn't exist.
  package func delete(_ id: String) async throws(StoreError) {
    try await threads.finish { try storage.delete(id) }
  }

  /// Deletes drafts that haven't changed since `date`, and their unfinished announcements. See `RecordedDrafts.expire`.
  /// A dry run only counts.
  ///
  /// - Returns: the number of drafts without a photo that were deleted, or would be.
  package func expire(before date: Date, dryRun: Bool) async throws(StoreError) -> Int {
    try await threads.finish { try storage.expire(before: date, dryRun: dryRun) }
  }

  /// Returns the ids of drafts last changed before `date`, oldest first. Without a date, returns all ids.
  package func ids(untouchedSince date: Date? = nil) async throws(StoreError) -> [String] {
    try await threads.finish { try storage.ids(untouchedSince: date) }
  }
}

extension RecordedDrafts {
  package func load(_ id: String, _ logger: Logger) throws(StoreError) -> StoredDraft? {
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

  package func save(
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
