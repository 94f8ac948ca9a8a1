public import Announcements
public import Foundation
public import Logging
public import Observation

/// The session of one report, shared by all its steps (seeds 028, 031 and 046); observable, saved on
/// every change, restored after a restart (decision 15).
@MainActor @Observable
public final class ReportMissingPetFlowState {
  /// Everything typed and everything that counts.
  public private(set) var draft: ReportDraft
  /// Why the last change is not on disk; nil when it is. The next change tries again.
  public private(set) var saveFailure: (any Error)?

  @ObservationIgnored private let store: DraftStore
  @ObservationIgnored private let now: @Sendable () -> Date
  @ObservationIgnored private let logger: Logger

  /// The draft of this id as it was last left, or a new one. Throws `DatabaseError`.
  public init(
    draft id: String = "default", store: DraftStore, logger: Logger,
    now: @escaping @Sendable () -> Date = { Date() }
  ) throws {
    (self.store, self.now, self.logger) = (store, now, logger)
    draft = try store.load(id) ?? ReportDraft(id: id, submissionKey: UUID())
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

  /// Empties the draft and removes it from the disk.
  public func clearDraft() {
    draft = ReportDraft(id: draft.id, submissionKey: UUID())
    attempt { try store.delete(draft.id) }
  }

  private func save() { attempt { try store.save(draft, now: now()) } }

  private func attempt(_ write: () throws -> Void) {
    do {
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
