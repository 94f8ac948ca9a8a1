package import Announcements
package import Foundation
package import PhotoModel

/// A report that isn't published yet: the inputs as typed and the values that Continue accepted. A value type whose
/// inputs and values change only through `handle`.
///
/// `PhotoAttachmentCache` stores the photo under the same draft id.
public struct ReportDraft: Sendable, Equatable, Codable, Identifiable {
  /// The version of the stored format. It increases when a key is added, removed or changes its meaning, because an
  /// older program must refuse a draft whose data it would lose. Version 1 doesn't store its number.
  package static let currentVersion = 3
  /// The version that this draft is stored as.
  package let version = currentVersion
  /// The draft's id, `default` unless another was chosen.
  public let id: String
  /// The idempotency key of the announcement, sent with each attempt so that a retry doesn't create a second one. A key
  /// is valid only for the texts that were sent with it. A new one therefore replaces it if, after an attempt, Continue
  /// accepts changed texts or no announcement was created. Clearing the draft always replaces it.
  package private(set) var submissionKey: UUID
  /// The step on screen.
  package private(set) var step = FlowStep.chip
  /// The steps whose Continue succeeded and whose form hasn't changed since (seed 031, `completedSteps`). A complete
  /// step therefore submits what its form shows.
  package private(set) var completedSteps: Set<FlowStep> = []
  /// The chip field, formatted.
  public private(set) var chipInput = ""
  /// The form of step 3.
  package private(set) var descriptionInput = DescriptionInput()
  /// The form of step 4.
  package private(set) var contactInput = TypedTexts()
  /// The microchip's digits, or `nil` if the field is empty.
  package private(set) var chipNumber: String?
  /// The accepted values of step 3.
  package private(set) var animalDescription: AnimalDescriptionDetails?
  /// The pet's name, trimmed, or `nil` if the field is empty (seed 046).
  package private(set) var petName: String?
  /// The origin of step 3's position.
  package private(set) var locationCapture: LocationCapture?
  /// The accepted values of step 4.
  package private(set) var contactDetails: ContactDetails?
  /// The place where the attached photo was taken, as a suggestion for step 3. It's private to the draft and removed
  /// with the photo.
  package private(set) var photoPlace: PhotoPlace?
  /// The progress of the submission, or `nil` before the first attempt.
  package private(set) var submission: Submission?
  /// The refusals to show for steps whose last Continue was refused. The summary's entry is for the last Publish.
  package private(set) var refusals: [FlowStep: StepRefusal] = [:]

  /// Creates an empty draft.
  package init(id: String, submissionKey: UUID) {
    self.id = id
    self.submissionKey = submissionKey
  }

  /// `true` if an announcement exists. Its texts can't change any more.
  package var isAnnounced: Bool { submission?.announcementID != nil }
  /// `true` if the announcement is complete, including its photo.
  package var isSubmitted: Bool { submission?.isComplete == true }

  /// Applies an event and returns its outcome.
  ///
  /// Once an announcement exists, edits have no effect and Continue only advances, so that the draft matches what was
  /// published. The photo may still change.
  @discardableResult
  package mutating func handle(_ event: FlowEvent) -> FlowOutcome {
    switch event {
    case .edited(let edit):
      return isAnnounced ? .unchanged : apply(edit)
    case .reopened(let step):
      guard !isAnnounced, completedSteps.remove(step) != nil else { return .unchanged }
      return .changed
    case .continued(let step, let context):
      guard self.step != .summary else { return .unchanged }
      refuse(.summary, nil)
      let words = NewAnnouncement(self)
      let outcome = finish(step, context)
      if !isAnnounced, submission != nil, NewAnnouncement(self) != words {
        // An attempt may have sent the earlier texts with this key.
        submission = nil
        submissionKey = UUID()
      }
      return outcome
    case .back:
      guard step != .summary else { return .unchanged }
      guard let previous = step.previous else { return .left }
      step = previous
      return .moved(to: previous)
    case .cleared(let newKey):
      self = Self(id: id, submissionKey: newKey)
      return .changed
    case .photoPlaced(let place):
      guard !isSubmitted, photoPlace != place else { return .unchanged }
      photoPlace = place
      return .changed
    case .photoPlaceForgotten(let kept):
      guard let photoPlace, photoPlace.photo != kept else { return .unchanged }
      self.photoPlace = nil
      return .changed
    case .submitting, .announced, .notAnnounced, .photoSent, .passwordShown:
      return submit(event)
    }
  }

  /// Stores the reason why a step was refused. `nil` removes it.
  package mutating func refuse(_ step: FlowStep, _ refusal: StepRefusal?) {
    refusals[step] = refusal
  }

  private mutating func submit(_ event: FlowEvent) -> FlowOutcome {
    switch event {
    case .submitting(let password):
      guard missingSteps.isEmpty, submission == nil else { return .unchanged }
      submission = Submission(
        announcementID: nil, managementPassword: password, isComplete: false)
      return .changed
    case .announced(let id, let key, let password):
      guard missingSteps.isEmpty, key == submissionKey, submission?.isComplete == false else {
        return .unchanged
      }
      submission?.announcementID = id
      if let password { submission?.managementPassword = password }
      return .changed
    case .notAnnounced(let key, let newKey):
      guard key == submissionKey, submission?.isComplete == false else { return .unchanged }
      submission = nil
      submissionKey = newKey
      return .changed
    case .photoSent(let id):
      guard submission?.announcementID == id, submission?.isComplete == false else {
        return .unchanged
      }
      submission?.isComplete = true
      photoPlace = nil
      step = .summary
      return .moved(to: .summary)
    case .passwordShown:
      guard isSubmitted, submission?.managementPassword != nil else { return .unchanged }
      submission?.managementPassword = nil
      return .changed
    default: return .unchanged
    }
  }

  /// The steps that must be completed before the report can be submitted. The chip is optional, but a typed number that
  /// Continue hasn't accepted makes its step missing, so that it isn't silently left out.
  package var missingSteps: [FlowStep] {
    let isChipTyped = ChipNumber.digits(chipInput).nilIfBlank != chipNumber
    return (isChipTyped ? [.chip] : [])
      + [.photo, .description, .contact].filter { !completedSteps.contains($0) }
  }

  private mutating func apply(_ edit: FlowEdit) -> FlowOutcome {
    let before = self
    switch edit {
    case .typed(.chip, let text): chipInput = ChipNumber.format(text)
    case .typed(let field, let text) where field.step == .contact: contactInput[field] = text
    case .date(let day, let today) where DescriptionRules.isInFuture(day, today: today):
      return .refused([.futureDate])
    default: edit.apply(to: &descriptionInput)
    }
    guard self != before else { return .unchanged }
    // Only Continue accepts what was typed (decision 13), so the step is incomplete until then.
    completedSteps.remove(edit.step)
    return .changed
  }

  private mutating func finish(_ step: FlowStep, _ context: FlowContext) -> FlowOutcome {
    let isFixed = isAnnounced
    let outcome: FlowOutcome? =
      switch step {
      case .chip where isFixed, .description where isFixed, .contact where isFixed: nil
      case .chip: acceptChip()
      case .photo: context.photoIsValid ? nil : .refused([.missingPhoto])
      case .description: countDescription(context)
      case .contact: countContact()
      case .summary: .unchanged
      }
    if let outcome {
      if case .refused = outcome { completedSteps.remove(step) }
      return outcome
    }
    completedSteps.insert(step)
    // The summary appears once the announcement has its photo, not with the last Continue.
    if step != .contact { self.step = step.next } else { self.step = .contact }
    return .moved(to: step.next)
  }

  private mutating func acceptChip() -> FlowOutcome? {
    chipNumber = ChipNumber.digits(chipInput).nilIfBlank
    return nil
  }

  private mutating func countDescription(_ context: FlowContext) -> FlowOutcome? {
    var form = descriptionInput
    // If no day was chosen, use the day that was on screen. It becomes the chosen day only if the step succeeds.
    form.date = form.date ?? context.shownDay
    switch DescriptionRules.details(from: form, today: context.today, now: context.now) {
    case .failure(let errors): return .refused(errors.errors)
    case .success(let details):
      animalDescription = details
      descriptionInput.date = details.disappearanceDate
      petName = descriptionInput[.petName].trimmed.nilIfBlank
      locationCapture = details.coordinate == nil ? nil : descriptionInput.capture
      return nil
    }
  }

  private mutating func countContact() -> FlowOutcome? {
    switch ContactRules.details(from: contactInput) {
    case .failure(let errors): return .refused(errors.errors)
    case .success(let details):
      contactDetails = details
      return nil
    }
  }
}

/// The error for a draft that a newer program wrote.
struct NewerDraft: Error {
  let version: Int
}

extension ReportDraft {
  /// Decodes a stored draft of this version or an older one. Values that an older version didn't have are empty.
  ///
  /// Throws `NewerDraft` for a newer version, and `DecodingError` if the id or the submission key is missing. An
  /// announcement may exist under that key, so it can't be replaced by a new one.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let version = try values.decodeIfPresent(Int.self, forKey: .version) ?? 1
    guard version <= Self.currentVersion else { throw NewerDraft(version: version) }
    self.init(
      id: try values.decode(String.self, forKey: .id),
      submissionKey: try values.decode(UUID.self, forKey: .submissionKey))
    step = try values.decodeIfPresent(FlowStep.self, forKey: .step) ?? .chip
    completedSteps =
      try values.decodeIfPresent(Set<FlowStep>.self, forKey: .completedSteps) ?? []
    chipInput = try values.decodeIfPresent(String.self, forKey: .chipInput) ?? ""
    descriptionInput =
      try values.decodeIfPresent(DescriptionInput.self, forKey: .descriptionInput) ?? .init()
    contactInput = try values.decodeIfPresent(TypedTexts.self, forKey: .contactInput) ?? .init()
    chipNumber = try values.decodeIfPresent(String.self, forKey: .chipNumber)
    animalDescription = try values.decodeIfPresent(
      AnimalDescriptionDetails.self, forKey: .animalDescription)
    petName = try values.decodeIfPresent(String.self, forKey: .petName)
    locationCapture = try values.decodeIfPresent(LocationCapture.self, forKey: .locationCapture)
    contactDetails = try values.decodeIfPresent(ContactDetails.self, forKey: .contactDetails)
    photoPlace = try values.decodeIfPresent(PhotoPlace.self, forKey: .photoPlace)
    submission = try values.decodeIfPresent(Submission.self, forKey: .submission)
    // Refusals are only displayed, so an unreadable one doesn't invalidate the draft.
    refusals = (try? values.decode([FlowStep: StepRefusal].self, forKey: .refusals)) ?? [:]
    if !isAnnounced { forgetWhatDiffers() }
  }

  /// Marks steps as incomplete if their form differs from the accepted values, which version 1 permitted.
  private mutating func forgetWhatDiffers() {
    if descriptionAsTyped != animalDescription
      || descriptionInput[.petName].trimmed.nilIfBlank != petName
    {
      completedSteps.remove(.description)
    }
    if (try? ContactRules.details(from: contactInput).get()) != contactDetails {
      completedSteps.remove(.contact)
    }
  }

  /// The values of step 3 that its form would have now, regardless of the current day.
  private var descriptionAsTyped: AnimalDescriptionDetails? {
    guard let counted = animalDescription else { return nil }
    let day = descriptionInput.date ?? counted.disappearanceDate
    var form = descriptionInput
    form.date = day
    return try? DescriptionRules.details(from: form, today: day, now: counted.lastUpdated).get()
  }
}

extension ReportDraft {
  /// Returns the contents of a field, valid or not. A species or gender is an id, and a day has the form `2025-12-01`.
  package func text(of field: FormField) -> String {
    switch field {
    case .chip: chipInput
    case .date: descriptionInput.date?.description ?? ""
    case .species: descriptionInput.species?.id ?? ""
    case .gender: descriptionInput.gender?.rawValue ?? ""
    default: field.step == .contact ? contactInput[field] : descriptionInput[field]
    }
  }

  /// Returns the contents of a field for display.
  package func shownText(of field: FormField, in words: Words) -> String {
    switch field {
    case .species: descriptionInput.species?.displayName(in: words) ?? ""
    case .gender: descriptionInput.gender?.displayName(in: words) ?? ""
    default: text(of: field)
    }
  }
}
