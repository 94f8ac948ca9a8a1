package import Announcements
package import Foundation
package import Logging
package import PhotoAttachments

/// A client that makes drafts.
package struct DraftMaker: Sendable {
  /// As text.
  let client: String
  /// Lets it make another one; throws when it may not.
  let admit: @Sendable () async throws -> Void

  package init(client: String, admit: @escaping @Sendable () async throws -> Void) {
    (self.client, self.admit) = (client, admit)
  }
}

/// The session of one report for surfaces without a main actor, such as a server: one request reads
/// the draft, changes it and is done. Nothing here holds a thread while it waits.
package actor DraftSession: SubmissionSession {
  /// The draft as it was last read or written; an empty one is on no disk.
  package private(set) var draft: ReportDraft
  /// Keeps the photo under the draft's id.
  package nonisolated let photos: PhotoAttachmentCache
  private let store: DraftStore
  private let now: @Sendable () -> Date
  private let logger: Logger
  private var revision: Int64?
  private let maker: DraftMaker?
  private var lastTouch: Date?

  /// The draft of this id as it was last left, or an empty one. Throws what `DraftStore.load` throws.
  ///
  /// - Parameter maker: the client that a new draft is made for; nil for a draft of this machine's own.
  package init(
    draft id: String, store: DraftStore, photos: PhotoAttachmentCache, logger: Logger,
    maker: DraftMaker? = nil, now: @escaping @Sendable () -> Date = { Date() }
  ) async throws(StoreError) {
    (self.store, self.photos, self.now, self.logger) = (store, photos, now, logger)
    self.maker = maker
    draft = ReportDraft(id: id, submissionKey: UUID())
    try await refresh()
  }

  /// Lets `work` happen to the draft, and writes what changed through to the disk before it returns.
  ///
  /// When another process has written the draft meanwhile, `work` happens to that one: of two changes
  /// at once none is lost. When `work` throws nothing is written.
  package func change<Value: Sendable>(
    _ work: @Sendable (inout ReportDraft) throws -> Value
  ) async throws -> Value {
    for _ in 0..<100 {
      var changed = draft
      let value = try work(&changed)
      guard changed != draft else { return value }
      if try await save(changed) { return value }
      try await refresh()
    }
    throw StoreError.busy(seconds: 0)
  }

  /// Writes the draft if it is on no disk yet, so that it is its maker's before it gets a photo.
  package func begin() async throws {
    while revision == nil, try await !save(draft) { try await refresh() }
  }

  /// - Returns: whether it was written; not when there is another one.
  private func save(_ changed: ReportDraft) async throws -> Bool {
    if revision == nil, let maker { try await maker.admit() }
    let saved = try await store.save(
      changed, over: revision, now: now(), client: maker?.client)
    guard let saved else { return false }
    (draft, revision) = (changed, saved)
    await touchPhoto()
    return true
  }

  package func refresh() async throws(StoreError) {
    let stored = try await store.load(draft.id)
    draft = stored?.draft ?? ReportDraft(id: draft.id, submissionKey: UUID())
    revision = stored?.revision
  }

  @discardableResult
  package func record(_ event: FlowEvent) async throws -> FlowOutcome {
    try await change { $0.handle(event) }
  }

  /// Keeps where the photo was taken that was just attached, and forgets the place of the one before, and why
  /// another was refused; nil when the photo was removed. Writes only when that changes something.
  package func keepPlace(of attached: AttachedPhoto?) async throws {
    let place = attached.flatMap { PhotoPlace($0) }
    let photo = attached?.photo.id
    _ = try await change { draft in
      draft.refuse(.photo, nil)
      draft.handle(.photoPlaceForgotten(unless: photo))
      if let place { draft.handle(.photoPlaced(place)) }
    }
  }

  /// The same for a draft that was not taken up. That the place cannot be kept is no reason to refuse
  /// the photo: it is only logged.
  package static func keepPlace(
    of attached: AttachedPhoto?, draft: String, store: DraftStore, photos: PhotoAttachmentCache,
    logger: Logger
  ) async {
    do {
      let session = try await DraftSession(
        draft: draft, store: store, photos: photos, logger: logger)
      try await session.keepPlace(of: attached)
    } catch {
      logger.warning("position not stored", metadata: ["draft": "\(draft)", "error": "\(error)"])
    }
  }

  /// Where the draft's photo was taken; nil when it does not say, or is another one by now.
  package func photoPosition() async throws -> Coordinate? {
    guard let place = draft.photoPlace,
      case .confirmed(let photo) = try await photos.status(draft: draft.id),
      photo.id == place.photo
    else { return nil }
    return place.coordinate
  }

  package func validPhoto() async throws -> PhotoAttachmentMetadata? {
    try await photos.load(draft: draft.id)
  }

  package func releasePhoto() async {
    do {
      try await photos.clear(draft: draft.id)
    } catch {
      logger.warning(
        "photo not released", metadata: ["draft": "\(draft.id)", "error": "\(error)"])
    }
  }

  package func clear() async throws {
    try await photos.clear(draft: draft.id)
    try await store.delete(draft.id)
    draft = ReportDraft(id: draft.id, submissionKey: UUID())
    revision = nil
  }

  /// The photo of a draft in use does not expire (decision 12). Once an hour is enough for that, and spares the
  /// disk a second write with every field.
  private func touchPhoto() async {
    let moment = now()
    guard lastTouch.map({ moment.timeIntervalSince($0) > 3600 }) ?? true else { return }
    do {
      try await photos.touch(draft: draft.id)
      lastTouch = moment
    } catch {
      logger.warning("photo not touched", metadata: ["draft": "\(draft.id)", "error": "\(error)"])
    }
  }
}
