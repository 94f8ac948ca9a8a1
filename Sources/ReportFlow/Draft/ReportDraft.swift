public import Announcements
public import Foundation

/// A step of the flow, in order (decision 13).
public enum FlowStep: String, Sendable, Codable, CodingKeyRepresentable, CaseIterable {
  case chip, photo, description, contact, summary

  /// The step's number, 1 to 4; nil on the summary, which shows no progress.
  public var number: Int? { self == .summary ? nil : index + 1 }
  /// How many steps have a number.
  public static let count = 4

  var index: Int { Self.allCases.firstIndex(of: self) ?? 0 }
  /// The step behind it; the summary is its own.
  package var next: Self { Self.allCases[min(index + 1, Self.allCases.count - 1)] }
  /// The step before it; nil for the first.
  package var previous: Self? { index == 0 ? nil : Self.allCases[index - 1] }
}

/// One report that isn't published yet: what was typed, and what of it was accepted. It is a value
/// that changes only by `handle`.
///
/// The photo is not here: `PhotoAttachmentCache` keeps it under the same draft id.
public struct ReportDraft: Sendable, Equatable, Codable, Identifiable {
  /// The version of the stored form. It grows with every key that is added, taken away or means
  /// something else: an older program must refuse what it would otherwise lose. The first form,
  /// version 1, does not say its number.
  public static let currentVersion = 3
  /// The form in which this draft is stored.
  public let version = currentVersion
  /// Names the draft, `default` unless chosen.
  public let id: String
  /// Sent with every try to create the announcement, so that a repeated try makes no second one. It
  /// belongs to the words that were sent with it: when the draft is changed or cleared after a try,
  /// it gets another key.
  public private(set) var submissionKey: UUID
  /// The step on screen.
  public private(set) var step = FlowStep.chip
  /// The steps whose Continue succeeded and whose form is still as it was then (seed 031,
  /// `completedSteps`): what is submitted is what is shown.
  public private(set) var completedSteps: Set<FlowStep> = []
  /// The chip field, formatted.
  public private(set) var chipInput = ""
  /// The form of step 3.
  public private(set) var descriptionInput = DescriptionInput()
  /// The form of step 4.
  public private(set) var contactInput = TypedTexts()
  /// The microchip's digits; nil when left empty.
  public private(set) var chipNumber: String?
  /// What step 3 gave.
  public private(set) var animalDescription: AnimalDescriptionDetails?
  /// The pet's name, trimmed; nil when left empty (seed 046).
  public private(set) var petName: String?
  /// Where step 3's position came from.
  public private(set) var locationCapture: LocationCapture?
  /// What step 4 gave.
  public private(set) var contactDetails: ContactDetails?
  /// Where the attached photo was taken, to be offered in step 3; private to the draft, and in it no
  /// longer than the photo is.
  public private(set) var photoPlace: PhotoPlace?
  /// How far the submission got; nil before the first try.
  public private(set) var submission: Submission?
  /// What is to be shown with the steps whose last Continue was refused; the summary's is of the last Publish.
  package private(set) var refusals: [FlowStep: StepRefusal] = [:]

  /// An empty draft.
  public init(id: String, submissionKey: UUID) {
    (self.id, self.submissionKey) = (id, submissionKey)
  }

  /// Whether an announcement exists, whose words are fixed.
  public var isAnnounced: Bool { submission?.announcementID != nil }
  /// Whether the announcement is complete, with its photo.
  public var isSubmitted: Bool { submission?.isComplete == true }

  /// Takes one event and says what came of it.
  ///
  /// Once an announcement exists its words are fixed: edits change nothing and Continue only moves
  /// on, so that what was published and what the draft says stay one. The photo may still change.
  @discardableResult
  public mutating func handle(_ event: FlowEvent) -> FlowOutcome {
    switch event {
    case .edited(let edit):
      return isAnnounced ? .unchanged : apply(edit)
    case .reopened(let step):
      guard !isAnnounced, completedSteps.remove(step) != nil else { return .unchanged }
      return .changed
    case .continued(let step, let facts):
      guard self.step != .summary else { return .unchanged }
      refuse(.summary, nil)
      let words = NewAnnouncement(self)
      let outcome = finish(step, facts)
      if !isAnnounced, submission != nil, NewAnnouncement(self) != words {
        // A try may have sent the words before under this key.
        (submission, submissionKey) = (nil, UUID())
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

  /// Keeps why a step was refused, nil for one that wasn't.
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
      (submission, submissionKey) = (nil, newKey)
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

  /// The steps that must be completed before the report can be submitted. The chip is optional, but a
  /// number that was typed and did not count is not left out in silence.
  public var missingSteps: [FlowStep] {
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
    // What is typed counts with the next Continue (decision 13); until then the step is not done.
    completedSteps.remove(edit.step)
    return .changed
  }

  private mutating func finish(_ step: FlowStep, _ facts: FlowFacts) -> FlowOutcome {
    let isFixed = isAnnounced
    let outcome: FlowOutcome? =
      switch step {
      case .chip where isFixed, .description where isFixed, .contact where isFixed: nil
      case .chip: countChip()
      case .photo: facts.photoIsValid ? nil : .refused([.missingPhoto])
      case .description: countDescription(facts)
      case .contact: countContact()
      case .summary: .unchanged
      }
    if let outcome {
      if case .refused = outcome { completedSteps.remove(step) }
      return outcome
    }
    completedSteps.insert(step)
    // The summary comes with the announcement, not with the last Continue.
    if step != .contact { self.step = step.next } else { self.step = .contact }
    return .moved(to: step.next)
  }

  private mutating func countChip() -> FlowOutcome? {
    chipNumber = ChipNumber.digits(chipInput).nilIfBlank
    return nil
  }

  private mutating func countDescription(_ facts: FlowFacts) -> FlowOutcome? {
    var form = descriptionInput
    // The day that was shown is the day that was meant; it is chosen once it counts, not before.
    form.date = form.date ?? facts.shownDay
    switch DescriptionRules.details(from: form, today: facts.today, now: facts.now) {
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

/// A draft that a newer program wrote.
struct NewerDraft: Error {
  /// The version it names.
  let version: Int
}

extension ReportDraft {
  /// Reads a stored draft of this version or an older one; what an older one did not have is as in
  /// an empty draft. Throws `NewerDraft`, and `DecodingError` when a key that cannot be made up is
  /// missing: the key under which an announcement may exist is not guessed.
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
    // Only shown: what another version can't read of it is no reason to refuse the draft.
    refusals = (try? values.decode([FlowStep: StepRefusal].self, forKey: .refusals)) ?? [:]
    if !isAnnounced { forgetWhatDiffers() }
  }

  /// Version 1 called a step complete although its form had changed since.
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

  /// What the form of step 3 would count as, whatever day it is.
  private var descriptionAsTyped: AnimalDescriptionDetails? {
    guard let counted = animalDescription else { return nil }
    let day = descriptionInput.date ?? counted.disappearanceDate
    var form = descriptionInput
    form.date = day
    return try? DescriptionRules.details(from: form, today: day, now: counted.lastUpdated).get()
  }
}

extension FlowStep {
  /// The step's fields in their order on screen (seeds 031 and 046).
  public var fields: [FormField] {
    switch self {
    case .chip: [.chip]
    case .photo, .summary: []
    case .description: FormField.allCases.drop { $0 != .date }.prefix { $0 != .name } + []
    case .contact: FormField.allCases.drop { $0 != .name } + []
    }
  }
}

extension FormField {
  /// The step whose form it belongs to.
  var step: FlowStep { FlowStep.allCases.first { $0.fields.contains(self) } ?? .photo }
}

extension ReportDraft {
  /// What stands in a field, valid or not: an option's id, a day as `2025-12-01`.
  package func text(of field: FormField) -> String {
    switch field {
    case .chip: chipInput
    case .date: descriptionInput.date?.description ?? ""
    case .species: descriptionInput.species?.id ?? ""
    case .gender: descriptionInput.gender?.rawValue ?? ""
    default: field.step == .contact ? contactInput[field] : descriptionInput[field]
    }
  }

  /// The same as a person reads it.
  package func shownText(of field: FormField, in words: Words) -> String {
    switch field {
    case .species: descriptionInput.species?.displayName(in: words) ?? ""
    case .gender: descriptionInput.gender?.displayName(in: words) ?? ""
    default: text(of: field)
    }
  }
}
