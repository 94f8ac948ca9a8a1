package import Announcements
package import Foundation
package import Logging
package import PhotoAttachments

/// The client of a server for which a new draft is created.
package struct DraftCreator: Sendable {
  /// The client's name in text form.
  let client: String
  /// Admits one more draft of the client. Throws if the client may not create one.
  let admit: @Sendable () async throws -> Void

  package init(client: String, admit: @escaping @Sendable () async throws -> Void) {
    self.client = client
    self.admit = admit
  }
}

/// The session of one report for surfaces (user interfaces) without a main actor: the pages of the server and the
/// terminal. Each request of a server reads the draft, changes it and ends. Waiting never blocks a thread.
package actor DraftSession: SubmissionSession {
  /// The draft as last read or written. An empty draft isn't stored.
  package private(set) var draft: ReportDraft
  /// Keeps the photo under the draft's id.
  package nonisolated let photos: PhotoAttachmentCache
  private let store: DraftStore
  private let now: @Sendable () -> Date
  private let logger: Logger
  private var revision: Int64?
  private let maker: DraftCreator?
  private var lastTouch: Date?

  /// Loads the draft with this id, or starts an empty one. Throws the errors of `DraftStore.load`.
  ///
  /// - Parameter maker: the client that a new draft is created for, or `nil` for a local draft.
  package init(
    draft id: String, store: DraftStore, photos: PhotoAttachmentCache, logger: Logger,
    maker: DraftCreator? = nil, now: @escaping @Sendable () -> Date = { Date() }
  ) async throws(StoreError) {
    self.store = store
    self.photos = photos
    self.now = now
    self.logger = logger
    self.maker = maker
    draft = ReportDraft(id: id, submissionKey: UUID())
    try await refresh()
  }

  /// Applies `work` to the draft and stores the change durably before it returns.
  ///
  /// If another process has written the draft meanwhile, loads that version and applies `work` again, so that
  /// concurrent changes aren't lost. Writes nothing if `work` throws.
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

  /// Stores the draft if it isn't stored yet, so that it's charged to its maker before it gets a photo.
  package func begin() async throws {
    while revision == nil, try await !save(draft) { try await refresh() }
  }

  /// - Returns: `true` if the draft was written, `false` if another process has written it.
  private func save(_ changed: ReportDraft) async throws -> Bool {
    if revision == nil, let maker { try await maker.admit() }
    let saved = try await store.save(
      changed, over: revision, now: now(), client: maker?.client)
    guard let saved else { return false }
    draft = changed
    revision = saved
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

  /// Stores the place where the newly attached photo was taken, and discards the previous photo's place and refusal.
  /// Pass `nil` if the photo was removed. Writes only if something changes.
  package func keepPlace(of attached: AttachedPhoto?) async throws {
    let place = attached.flatMap { PhotoPlace($0) }
    let photo = attached?.photo.id
    _ = try await change { draft in
      draft.refuse(.photo, nil)
      draft.handle(.photoPlaceForgotten(unless: photo))
      if let place { draft.handle(.photoPlaced(place)) }
    }
  }

  /// Stores the place for a draft that has no session yet. A failure is only logged, because it's no reason to reject
  /// the photo.
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

  /// Returns the place where the draft's photo was taken, or `nil` if it's unknown or belongs to an earlier photo.
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
      try await photos.remove(draft: draft.id)
    } catch {
      logger.warning(
        "photo not released", metadata: ["draft": "\(draft.id)", "error": "\(error)"])
    }
  }

  package func clear() async throws {
    try await photos.remove(draft: draft.id)
    try await store.delete(draft.id)
    draft = ReportDraft(id: draft.id, submissionKey: UUID())
    revision = nil
  }

  /// Keeps the photo of a draft in use from expiring (decision 12). Once an hour is enough and avoids a second write
  /// for every field.
  private func touchPhoto() async {
    let moment = now()
    guard lastTouch.map({ moment.timeIntervalSince($0) > 3600 }) ?? true else { return }
    do {
      try await photos.keepAlive(draft: draft.id)
      lastTouch = moment
    } catch {
      logger.warning("photo not touched", metadata: ["draft": "\(draft.id)", "error": "\(error)"])
    }
  }
}
