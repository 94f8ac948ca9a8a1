public import Announcements
public import Foundation

/// A step of the flow, in order (decision 13).
public enum FlowStep: String, Sendable, Codable, CaseIterable {
  case chip, photo, description, contact, summary

  /// The step's number, 1 to 4; nil on the summary, which shows no progress.
  public var number: Int? { self == .summary ? nil : index + 1 }
  /// How many steps have a number.
  public static let count = 4

  var index: Int { Self.allCases.firstIndex(of: self) ?? 0 }
  var next: Self { Self.allCases[min(index + 1, Self.allCases.count - 1)] }
  var previous: Self? { index == 0 ? nil : Self.allCases[index - 1] }
}

/// What is typed in step 3, valid or not; kept on every change, counts only after Continue.
public struct DescriptionInput: Sendable, Equatable, Codable {
  /// The chosen day; nil means today.
  public var date: CalendarDay?
  /// The chosen species.
  public var species: SpeciesTaxonomyOption?
  /// The race as typed.
  public var race = ""
  /// The chosen gender.
  public var gender: Gender?
  /// The age as typed.
  public var age = ""
  /// The pet's name as typed.
  public var petName = ""
  /// The latitude as typed.
  public var latitude = ""
  /// The longitude as typed.
  public var longitude = ""
  /// Where the coordinates came from; nil when both are empty.
  public var capture: LocationCapture?
  /// The additional description, at most 500 characters.
  public var additionalDescription = ""

  /// An empty form.
  public init() {}
}

/// What is typed in step 4, valid or not.
public struct ContactInput: Sendable, Equatable, Codable {
  /// The reporter's name as typed.
  public var name = ""
  /// The phone number as typed.
  public var phone = ""
  /// The e-mail address as typed.
  public var email = ""
  /// The reward as typed, at most 120 characters.
  public var reward = ""

  /// An empty form.
  public init() {}
}

/// How far the submission of a draft got; written before and after each of its steps, so that it
/// goes on where it was (decision 25).
public struct Submission: Sendable, Equatable, Codable {
  /// The announcement that exists.
  public var announcementID: String
  /// The secret of the announcement; nil once it was shown.
  public var managementPassword: String?
  /// Whether the photo arrived, which completes the submission.
  public var isComplete: Bool

  /// A submission of these values.
  public init(announcementID: String, managementPassword: String?, isComplete: Bool) {
    (self.announcementID, self.managementPassword) = (announcementID, managementPassword)
    self.isComplete = isComplete
  }
}

/// One report under way: what is typed and what counts. A value; `handle` is its only change.
///
/// The photo is not here: `PhotoAttachmentCache` keeps it under the same draft id.
public struct ReportDraft: Sendable, Equatable, Codable, Identifiable {
  /// Names the draft, `default` unless chosen.
  public let id: String
  /// Makes a repeated create harmless; changes when the draft is cleared.
  public private(set) var submissionKey: UUID
  /// The step on screen.
  public private(set) var step = FlowStep.chip
  /// The steps whose Continue succeeded (seed 031, `completedSteps`).
  public private(set) var completedSteps: Set<FlowStep> = []
  /// The chip field, formatted.
  public private(set) var chipInput = ""
  /// The form of step 3.
  public private(set) var descriptionInput = DescriptionInput()
  /// The form of step 4.
  public private(set) var contactInput = ContactInput()
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
  /// How far the submission got; nil before it began.
  public private(set) var submission: Submission?

  /// An empty draft.
  public init(id: String, submissionKey: UUID) {
    (self.id, self.submissionKey) = (id, submissionKey)
  }

  /// Takes one event and says what came of it.
  ///
  /// Once an announcement exists its words are fixed: edits change nothing and Continue only moves
  /// on, so that what was published and what the draft says stay one. The photo may still change.
  @discardableResult
  public mutating func handle(_ event: FlowEvent) -> FlowOutcome {
    switch event {
    case .edited(let edit):
      return submission == nil ? apply(edit) : .unchanged
    case .continued(let step, let facts):
      guard self.step != .summary else { return .unchanged }
      return finish(step, facts)
    case .back:
      guard step != .summary else { return .unchanged }
      guard let previous = step.previous else { return .left }
      step = previous
      return .moved(to: previous)
    case .announced(let id, let password):
      guard missingSteps.isEmpty, submission?.isComplete != true else { return .unchanged }
      submission = Submission(
        announcementID: id, managementPassword: password ?? submission?.managementPassword,
        isComplete: false)
      return .changed
    case .photoSent:
      guard submission?.isComplete == false else { return .unchanged }
      submission?.isComplete = true
      step = .summary
      return .moved(to: .summary)
    case .passwordShown:
      guard submission?.isComplete == true, submission?.managementPassword != nil else {
        return .unchanged
      }
      submission?.managementPassword = nil
      return .changed
    case .cleared(let newKey):
      self = Self(id: id, submissionKey: newKey)
      return .changed
    }
  }

  /// The steps that must be completed before the report can be submitted; the chip is optional but
  /// its step, if skipped, says nothing.
  public var missingSteps: [FlowStep] {
    [.photo, .description, .contact].filter { !completedSteps.contains($0) }
  }

  private mutating func apply(_ edit: FlowEdit) -> FlowOutcome {
    let before = self
    switch edit {
    case .chip(let text): chipInput = ChipNumber.format(text)
    case .date(let day, let today):
      guard day <= today else { return .refused([.futureDate]) }
      descriptionInput.date = day
    case .description(let change): change.apply(to: &descriptionInput)
    case .name(let text): contactInput.name = text
    case .phone(let text): contactInput.phone = text
    case .email(let text): contactInput.email = text
    case .reward(let text): contactInput.reward = String(text.prefix(ContactRules.longestReward))
    }
    return self == before ? .unchanged : .changed
  }

  private mutating func finish(_ step: FlowStep, _ facts: FlowFacts) -> FlowOutcome {
    let isFixed = submission != nil
    switch step {
    case .chip where isFixed, .description where isFixed, .contact where isFixed: break
    case .chip: chipNumber = ChipNumber.digits(chipInput).nilIfBlank
    case .photo:
      guard facts.photoIsValid else {
        completedSteps.remove(.photo)
        return .refused([.missingPhoto])
      }
    case .description:
      let result = DescriptionRules.details(
        from: descriptionInput, today: facts.today, now: facts.now)
      switch result {
      case .failure(let errors): return .refused(errors.errors)
      case .success(let details):
        animalDescription = details
        descriptionInput.date = details.disappearanceDate
        petName = descriptionInput.petName.trimmed.nilIfBlank
        locationCapture = details.coordinate == nil ? nil : descriptionInput.capture
      }
    case .contact:
      switch ContactRules.details(from: contactInput) {
      case .failure(let errors): return .refused(errors.errors)
      case .success(let details): contactDetails = details
      }
    case .summary: return .unchanged
    }
    completedSteps.insert(step)
    // The summary comes with the announcement, not with the last Continue.
    if step != .contact { self.step = step.next } else { self.step = .contact }
    return .moved(to: step.next)
  }
}
