public import Announcements
public import Foundation
public import Logging
public import Observation
public import PhotoAttachments
public import ReportFlow

/// The observable session of one report, shared by all its steps (seeds 028, 031 and 046). It's saved on every change
/// and restored after a restart (decision 15). Apps that import this library use it. The programs of this package use
/// `DraftSession`.
@MainActor @Observable
public final class ReportMissingPetFlowState {
  /// The draft, with all inputs and accepted values.
  public private(set) var draft: ReportDraft
  /// The photo, or `nil` until it's confirmed (seed 028).
  public var photoAttachment: PhotoAttachmentMetadata? {
    if case .confirmed(let photo) = photoStatus { photo } else { nil }
  }
  /// The status of the photo (seed 028).
  public internal(set) var photoStatus: PhotoAttachmentStatus
  /// The place where the attached photo was taken, as a suggestion for step 3, or `nil` if unknown.
  public var photoPosition: Coordinate? {
    guard let place = draft.photoPlace, place.photo == photoAttachment?.id else { return nil }
    return place.coordinate
  }
  /// The reason why the last change couldn't be saved, or `nil` if it was. The next change tries again.
  public private(set) var saveFailure: StoreError?

  /// Stores the photo under the draft's id.
  @ObservationIgnored public let photos: PhotoAttachmentCache
  @ObservationIgnored private let drafts: RecordedDrafts
  @ObservationIgnored private let now: @Sendable () -> Date
  @ObservationIgnored private let logger: Logger
  @ObservationIgnored private var lastTouch: Date?
  /// The stored revision that this draft is based on, or `nil` if it isn't stored.
  @ObservationIgnored private var revision: Int64?
  /// The events since the last save. If another process has written the draft meanwhile, they are applied again to its
  /// version.
  @ObservationIgnored private var unsaved: [FlowEvent] = []

  /// Loads the draft with this id, or starts a new one, with its photo. Throws the errors of `DraftStore.load` and of
  /// the catalog.
  public init(
    draft id: String = "default", store: DraftStore, photos: PhotoAttachmentCache, logger: Logger,
    now: @escaping @Sendable () -> Date = { Date() }
  ) throws(StoreError) {
    drafts = store.storage
    self.photos = photos
    self.now = now
    self.logger = logger
    let stored = try drafts.load(id, logger)
    draft = stored?.draft ?? ReportDraft(id: id, submissionKey: UUID())
    revision = stored?.revision
    photoStatus = try photos.snapshot(draft: id).status
  }

  /// Applies an event, saves the change and returns the outcome.
  ///
  /// If another process has written the draft meanwhile, applies the event to that version, so that concurrent changes
  /// aren't lost.
  @discardableResult
  public func handle(_ event: FlowEvent) -> FlowOutcome {
    var changed = draft
    let outcome = changed.handle(event)
    guard changed != draft || !unsaved.isEmpty else { return outcome }
    draft = changed
    unsaved.append(event)
    return save() ?? outcome
  }

  /// Loads changes that other processes have written. Throws the errors of `DraftStore.load`.
  func reload() throws(StoreError) {
    guard unsaved.isEmpty else {
      save()
      return
    }
    let stored = try drafts.load(draft.id, logger)
    guard stored?.revision != revision else { return }
    draft = stored?.draft ?? ReportDraft(id: draft.id, submissionKey: UUID())
    revision = stored?.revision
  }

  /// Reloads the photo's status after a restart, or if another process may have changed it. A confirmed photo whose
  /// blob is missing becomes empty (decision 7). Throws the catalog's errors.
  @discardableResult
  public func refreshPhoto() async throws -> PhotoAttachmentStatus {
    let photos = photos
    let id = draft.id
    photoStatus = try await photos.status(draft: id)
    // While another photo is being prepared, the previous one may still be kept.
    if photoStatus != .loading {
      handle(.photoPlaceForgotten(unless: photoAttachment?.id))
    }
    return photoStatus
  }

  /// Ends the session. Removes the photo first and then all inputs (seed 028, `clear()`). If the photo can't be
  /// removed, keeps everything and throws the catalog's error.
  public func clear() async throws {
    let photos = photos
    let id = draft.id
    try await photos.remove(draft: id)
    photoStatus = .empty
    draft.handle(.cleared(newKey: UUID()))
    revision = nil
    unsaved = []
    attempt { () throws(StoreError) in try drafts.delete(id) }
  }

  /// Releases the photo of a submitted report, which now belongs to the announcement (seed 028). A failure is only
  /// logged, because the next call tries again.
  package func releasePhoto() async {
    let photos = photos
    let id = draft.id
    do {
      try await photos.remove(draft: id)
      photoStatus = .empty
    } catch {
      logger.warning("photo not released", metadata: ["draft": "\(id)", "error": "\(error)"])
    }
  }

  /// - Returns: the outcome of the last event if it was applied again to another process's version, or `nil` if the
  ///   first outcome is still valid.
  @discardableResult
  private func save() -> FlowOutcome? {
    let moment = now()
    var outcome: FlowOutcome?
    attempt { () throws(StoreError) in
      var saved = try drafts.save(draft, over: revision, now: moment)
      var tries = 0
      while saved == nil {
        tries += 1
        guard tries < 1000 else { throw .busy(seconds: 0) }
        outcome = try repeatUnsaved()
        saved = try drafts.save(draft, over: revision, now: moment)
      }
      revision = saved
      unsaved = []
      // Keep the photo of a draft in use from expiring (decision 12). Once an hour is enough and avoids a second write
      // for every field.
      guard lastTouch.map({ moment.timeIntervalSince($0) > 3600 }) ?? true else { return }
      try photos.catalog.keepAlive(draft: draft.id, at: photos.now())
      lastTouch = moment
    }
    return outcome
  }

  /// Loads the stored draft and applies the unsaved events to it.
  private func repeatUnsaved() throws(StoreError) -> FlowOutcome {
    let stored = try drafts.load(draft.id, logger)
    var fresh = stored?.draft ?? ReportDraft(id: draft.id, submissionKey: UUID())
    var outcome = FlowOutcome.unchanged
    for event in unsaved { outcome = fresh.handle(event) }
    draft = fresh
    revision = stored?.revision
    return outcome
  }

  private func attempt(_ write: () throws(StoreError) -> Void) {
    do throws(StoreError) {
      try write()
      saveFailure = nil
    } catch {
      saveFailure = error
      logger.error("draft not saved", metadata: ["draft": "\(draft.id)", "error": "\(error)"])
    }
  }
}

extension ReportMissingPetFlowState: SubmissionSession {
  package func refresh() throws {
    try reload()
    if let saveFailure { throw saveFailure }
  }

  @discardableResult
  package func record(_ event: FlowEvent) throws -> FlowOutcome {
    let outcome = handle(event)
    if let saveFailure { throw saveFailure }
    return outcome
  }

  package func validPhoto() async throws -> PhotoAttachmentMetadata? {
    try await refreshPhoto()
    return photoAttachment
  }
}

extension AnnouncementSubmissionService {
  /// Submits the draft of `flowState`, or resumes its submission. A draft that was already submitted returns its
  /// announcement, with the password only if it wasn't shown yet.
  ///
  /// - Throws: `SubmissionError`, `AnnouncementError`, and the errors of the stores of the draft and photo.
  @MainActor
  public func submit(_ flowState: ReportMissingPetFlowState) async throws -> CreatedAnnouncement {
    try await submit(session: flowState)
  }

  /// Clears the report. Withdraws its announcement if the photo wasn't sent yet, because it would never become visible.
  /// An announcement with its photo stays published.
  ///
  /// - Returns: the announcement that stays published, if its password wasn't shown yet. This is the last chance to
  ///   show it.
  @MainActor @discardableResult
  public func discard(_ flowState: ReportMissingPetFlowState) async throws -> CreatedAnnouncement? {
    try await discard(session: flowState)
  }
}

// The fields under the names that the seeds use.
extension ReportMissingPetFlowState {
  /// The microchip's digits (seed 031).
  public var chipNumber: String? { draft.chipNumber }
  /// The accepted values of step 3 (seed 031).
  public var animalDescription: AnimalDescriptionDetails? { draft.animalDescription }
  /// The origin of the position (seed 021).
  public var locationCapture: LocationCapture? { draft.locationCapture }
  /// The accepted values of step 4 (seed 031).
  public var contactDetails: ContactDetails? { draft.contactDetails }
  /// The numbers of the steps whose Continue succeeded, 1 to 4 (seed 031).
  public var completedSteps: Set<Int> { Set(draft.completedSteps.compactMap(\.number)) }
  /// The pet's name (seed 046).
  public var petName: String? { draft.petName }
  /// The place where the pet was last seen (seed 046).
  public var location: Coordinate? { animalDescription?.coordinate }
  /// The reporter's name (seed 046).
  public var ownerName: String? { contactDetails?.name }
  /// The reporter's phone number (seed 046).
  public var ownerPhone: String? { contactDetails?.phone }
  /// The species' id (seed 046).
  public var species: String? { animalDescription?.species.id }
  /// The breed (seed 046).
  public var breed: String? { animalDescription?.race }
  /// Male or female (seed 046).
  public var sex: Gender? { animalDescription?.gender }
  /// The age in whole years (seed 046).
  public var age: Int? { animalDescription?.age }
  /// The day of the disappearance (seed 046).
  public var dateOfDisappearance: CalendarDay? { animalDescription?.disappearanceDate }
  /// The additional description (seed 046).
  public var description: String? { animalDescription?.additionalDescription }
  /// The management password of the announcement, or `nil` once it was shown.
  public var managementPassword: String? { draft.submission?.managementPassword }
}
