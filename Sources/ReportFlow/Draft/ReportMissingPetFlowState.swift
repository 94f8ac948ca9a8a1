public import Announcements
public import Foundation
public import Logging
public import Observation
public import PhotoAttachments

/// The session of one report, shared by all its steps (seeds 028, 031 and 046); observable, saved on
/// every change, restored after a restart (decision 15).
@MainActor @Observable
public final class ReportMissingPetFlowState {
  /// Everything typed and everything that counts.
  public private(set) var draft: ReportDraft
  /// The photo, once it is confirmed (seed 028).
  public var photoAttachment: PhotoAttachmentMetadata? {
    if case .confirmed(let photo) = photoStatus { photo } else { nil }
  }
  /// Where the photo stands (seed 028).
  public internal(set) var photoStatus: PhotoAttachmentStatus
  /// Where the attached photo was taken, to be offered in step 3; nil when it does not say.
  public var photoPosition: Coordinate? {
    guard let place = draft.photoPlace, place.photo == photoAttachment?.id else { return nil }
    return place.coordinate
  }
  /// Why the last change is not on disk; nil when it is. The next change tries again.
  public private(set) var saveFailure: StoreError?

  /// Keeps the photo under the draft's id.
  @ObservationIgnored public let photos: PhotoAttachmentCache
  @ObservationIgnored private let drafts: RecordedDrafts
  @ObservationIgnored private let now: @Sendable () -> Date
  @ObservationIgnored private let logger: Logger
  @ObservationIgnored private var lastTouch: Date?
  /// Which revision of the draft this one is based on; nil for one that is not on disk.
  @ObservationIgnored private var revision: Int64?
  /// Events since the last save. When another process has written the draft meanwhile, that one is
  /// read and these events are applied to it again.
  @ObservationIgnored private var unsaved: [FlowEvent] = []

  /// The draft of this id as it was last left, or a new one, with its photo. Throws what
  /// `DraftStore.load` and the catalog throw.
  public init(
    draft id: String = "default", store: DraftStore, photos: PhotoAttachmentCache, logger: Logger,
    now: @escaping @Sendable () -> Date = { Date() }
  ) throws(StoreError) {
    (drafts, self.photos, self.now, self.logger) = (store.storage, photos, now, logger)
    let stored = try drafts.load(id, logger)
    draft = stored?.draft ?? ReportDraft(id: id, submissionKey: UUID())
    revision = stored?.revision
    photoStatus = try photos.snapshot(draft: id).status
  }

  /// Takes an event, saves what changed, and says what came of it.
  ///
  /// When another process has written the draft meanwhile, the event happens to that one: of two
  /// steps that are done at once none is lost.
  @discardableResult
  public func handle(_ event: FlowEvent) -> FlowOutcome {
    var changed = draft
    let outcome = changed.handle(event)
    guard changed != draft || !unsaved.isEmpty else { return outcome }
    draft = changed
    unsaved.append(event)
    return save() ?? outcome
  }

  /// Takes up what another process has written since. Throws what `DraftStore.load` throws.
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

  /// Looks again where the photo stands: after a restart, or when another process may have changed
  /// it. A confirmed photo whose blob is gone becomes empty (decision 7). Throws what the catalog
  /// throws.
  @discardableResult
  public func refreshPhoto() async throws -> PhotoAttachmentStatus {
    let (photos, id) = (photos, draft.id)
    photoStatus = try await photos.status(draft: id)
    // While another photo is under way the one before may still stay.
    if photoStatus != .loading {
      handle(.photoPlaceForgotten(unless: photoAttachment?.id))
    }
    return photoStatus
  }

  /// Ends the session: the photo goes first, then everything typed (seed 028, `clear()`). When the
  /// photo cannot be removed nothing is, and the catalog's error is thrown.
  public func clear() async throws {
    let (photos, id) = (photos, draft.id)
    try await photos.clear(draft: id)
    photoStatus = .empty
    draft.handle(.cleared(newKey: UUID()))
    (revision, unsaved) = (nil, [])
    attempt { () throws(StoreError) in try drafts.delete(id) }
  }

  /// The photo of a submitted report is the announcement's; the draft lets it go (seed 028). A failure
  /// is only logged: the next look tries again.
  package func releasePhoto() async {
    let (photos, id) = (photos, draft.id)
    do {
      try await photos.clear(draft: id)
      photoStatus = .empty
    } catch {
      logger.warning("photo not released", metadata: ["draft": "\(id)", "error": "\(error)"])
    }
  }

  /// - Returns: the outcome of the last event when it was applied again, to a draft that another
  ///   process had written; nil when the first outcome still holds.
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
      (revision, unsaved) = (saved, [])
      // The photo of a draft in use does not expire (decision 12). Once an hour will do for that,
      // and spares the disk a second write with every field.
      guard lastTouch.map({ moment.timeIntervalSince($0) > 3600 }) ?? true else { return }
      try photos.catalog.touch(draft: draft.id, at: photos.now())
      lastTouch = moment
    }
    return outcome
  }

  /// Lets what is not saved yet happen to what is on disk.
  private func repeatUnsaved() throws(StoreError) -> FlowOutcome {
    let stored = try drafts.load(draft.id, logger)
    var fresh = stored?.draft ?? ReportDraft(id: draft.id, submissionKey: UUID())
    var outcome = FlowOutcome.unchanged
    for event in unsaved { outcome = fresh.handle(event) }
    (draft, revision) = (fresh, stored?.revision)
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

// The fields under the names that the seeds give them.
extension ReportMissingPetFlowState {
  /// The microchip's digits (seed 031).
  public var chipNumber: String? { draft.chipNumber }
  /// What step 3 gave (seed 031).
  public var animalDescription: AnimalDescriptionDetails? { draft.animalDescription }
  /// Where the position came from (seed 021).
  public var locationCapture: LocationCapture? { draft.locationCapture }
  /// What step 4 gave (seed 031).
  public var contactDetails: ContactDetails? { draft.contactDetails }
  /// The numbers of the steps whose Continue succeeded, 1 to 4 (seed 031).
  public var completedSteps: Set<Int> { Set(draft.completedSteps.compactMap(\.number)) }
  /// The pet's name (seed 046).
  public var petName: String? { draft.petName }
  /// Where the pet was last seen (seed 046).
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
  /// Whole years (seed 046).
  public var age: Int? { animalDescription?.age }
  /// The day of the disappearance (seed 046).
  public var dateOfDisappearance: CalendarDay? { animalDescription?.disappearanceDate }
  /// What else there is to say (seed 046).
  public var description: String? { animalDescription?.additionalDescription }
  /// The secret of the announcement, until it was shown.
  public var managementPassword: String? { draft.submission?.managementPassword }
}
