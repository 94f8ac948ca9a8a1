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
  /// Where the attached photo was taken; kept in memory alone, to be offered in step 3.
  public internal(set) var photoPosition: Coordinate?
  /// Why the last change is not on disk; nil when it is. The next change tries again.
  public private(set) var saveFailure: PhotoError?

  /// Keeps the photo under the draft's id.
  @ObservationIgnored public let photos: PhotoAttachmentCache
  @ObservationIgnored private let store: DraftStore
  @ObservationIgnored private let now: @Sendable () -> Date
  @ObservationIgnored private let logger: Logger
  @ObservationIgnored private var lastTouch: Date?

  /// The draft of this id as it was last left, or a new one, with its photo. Throws what the
  /// catalog throws.
  public init(
    draft id: String = "default", store: DraftStore, photos: PhotoAttachmentCache, logger: Logger,
    now: @escaping @Sendable () -> Date = { Date() }
  ) throws(PhotoError) {
    (self.store, self.photos, self.now, self.logger) = (store, photos, now, logger)
    draft = try store.load(id) ?? ReportDraft(id: id, submissionKey: UUID())
    photoStatus = try photos.status(draft: id)
  }

  /// Takes an event, saves what changed, and says what came of it.
  @discardableResult
  public func handle(_ event: FlowEvent) -> FlowOutcome {
    var changed = draft
    let outcome = changed.handle(event)
    if changed != draft {
      draft = changed
      save()
    } else if saveFailure != nil {
      save()
    }
    return outcome
  }

  /// Looks again where the photo stands: after a restart, or when another process may have changed
  /// it. A confirmed photo whose blob is gone becomes empty (decision 7). Throws what the catalog
  /// throws.
  @discardableResult
  public func refreshPhoto() async throws -> PhotoAttachmentStatus {
    let (photos, id) = (photos, draft.id)
    photoStatus = try await photos.pool.run { try photos.status(draft: id) }
    if photoAttachment == nil { photoPosition = nil }
    return photoStatus
  }

  /// Ends the session: the photo goes first, then everything typed (seed 028, `clear()`). When the
  /// photo cannot be removed nothing is, and the catalog's error is thrown.
  public func clear() async throws {
    let (photos, id) = (photos, draft.id)
    try await photos.pool.run { try photos.clear(draft: id) }
    (photoStatus, photoPosition) = (.empty, nil)
    draft.handle(.cleared(newKey: UUID()))
    attempt { () throws(PhotoError) in try store.delete(id) }
  }

  private func save() {
    let moment = now()
    attempt { () throws(PhotoError) in
      try store.save(draft, now: moment)
      // The photo of a draft in use does not expire (decision 12). Once an hour will do for that,
      // and spares the disk a second write with every field.
      guard lastTouch.map({ moment.timeIntervalSince($0) > 3600 }) ?? true else { return }
      try photos.touch(draft: draft.id)
      lastTouch = moment
    }
  }

  private func attempt(_ write: () throws(PhotoError) -> Void) {
    do throws(PhotoError) {
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
  /// The steps whose Continue succeeded (seed 031).
  public var completedSteps: Set<FlowStep> { draft.completedSteps }
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
