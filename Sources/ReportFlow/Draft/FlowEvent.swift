public import Announcements
public import Foundation

/// What can happen to a draft.
public enum FlowEvent: Sendable {
  /// A field changed.
  case edited(FlowEdit)
  /// Continue was tapped on this step, in this situation.
  case continued(FlowStep, FlowFacts)
  /// The step is no longer done, because something was given that its form cannot hold (such as a day
  /// that is no date); the next valid Continue makes it count again.
  case reopened(FlowStep)
  /// The photo that was just attached says where it was taken.
  case photoPlaced(PhotoPlace)
  /// The draft has no photo any more but this one, if any; the place of another one is forgotten.
  case photoPlaceForgotten(unless: UUID?)
  /// Back was tapped on the step on screen.
  case back
  /// The announcement is about to be made, with this password unless another try has decided one.
  case submitting(managementPassword: String)
  /// The announcement of this key exists. A password that its maker decided takes the place of this one's.
  case announced(id: String, key: UUID, managementPassword: String? = nil)
  /// There is no announcement of this key, and none may be made any more.
  case notAnnounced(key: UUID, newKey: UUID)
  /// The announcement has its photo.
  case photoSent(id: String)
  /// The management password was shown, and is forgotten.
  case passwordShown
  /// The flow was left for good, or starts again.
  case cleared(newKey: UUID)
}

/// A change of one field.
public enum FlowEdit: Sendable {
  /// A text was typed. A number's foreign characters and what a field can't hold are left out, and so is
  /// the race until there is a species. Coordinates are `coordinate`s.
  case typed(FormField, String)
  /// A day was chosen; refused when it is after `today`, and then the prior day stays.
  case date(CalendarDay, today: CalendarDay)
  /// A species was chosen; another one than before clears the race.
  case species(SpeciesTaxonomyOption?)
  case gender(Gender?)
  /// A latitude or longitude was typed; makes the capture `manual`.
  case coordinate(FormField, String, LocationContext)
  /// A position was found; fills both fields with five decimals. It counts as `gps` only where the
  /// device itself gave it (decision 45).
  case captured(Coordinate, LocationCapture.CaptureMethod, LocationContext)

  /// The step whose form the field belongs to.
  var step: FlowStep {
    if case .typed(let field, _) = self { field.step } else { .description }
  }

  func apply(to input: inout DescriptionInput) {
    switch self {
    case .typed(.race, _) where input.species == nil: break
    case .typed(let field, let text): input[field] = text
    case .date(let day, _): input.date = day
    case .species(let species):
      if input.species?.id != species?.id { input[.race] = "" }
      input.species = species
    case .gender(let gender): input.gender = gender
    case .coordinate(let field, let text, let context):
      guard text != input[field] else { return }
      input[field] = text
      input.noteManualEdit(context)
    case .captured(let point, let method, let context):
      input[.latitude] = CoordinateText.fiveDecimals(point.latitude)
      input[.longitude] = CoordinateText.fiveDecimals(point.longitude)
      input.capture = LocationCapture(
        latitude: point.latitude, longitude: point.longitude, captureMethod: method,
        timestamp: context.now, permissionStatus: input.permission(in: context))
    }
  }
}

extension DescriptionInput {
  fileprivate mutating func noteManualEdit(_ context: LocationContext) {
    let (latitude, longitude) = (self[.latitude], self[.longitude])
    guard !latitude.trimmed.isEmpty || !longitude.trimmed.isEmpty else {
      capture = nil
      return
    }
    capture = LocationCapture(
      latitude: CoordinateRules.number(latitude), longitude: CoordinateRules.number(longitude),
      captureMethod: .manual, timestamp: context.now, permissionStatus: permission(in: context))
  }

  /// What the person allows; a surface that has not asked leaves what was known before.
  fileprivate func permission(in context: LocationContext) -> LocationAuthorization {
    guard context.authorization == .notDetermined, let capture else { return context.authorization }
    return capture.permissionStatus
  }
}

/// When, and with which permission, a position was captured or typed.
public struct LocationContext: Sendable, Equatable {
  /// The moment.
  public let now: Date
  /// What the person had allowed.
  public let authorization: LocationAuthorization

  /// A context of these values.
  public init(now: Date, authorization: LocationAuthorization) {
    (self.now, self.authorization) = (now, authorization)
  }
}

/// What Continue needs to know besides the draft.
public struct FlowFacts: Sendable, Equatable {
  /// The reporter's day.
  public var today: CalendarDay
  /// The day that stands in step 3 while none is chosen; nil means today.
  public var shownDay: CalendarDay?
  /// The moment.
  public var now: Date
  /// Whether there is a photo and its blob is whole (decision 7).
  public var photoIsValid: Bool

  /// Facts of these values.
  public init(
    today: CalendarDay, now: Date, photoIsValid: Bool = false, shownDay: CalendarDay? = nil
  ) {
    (self.today, self.now, self.photoIsValid) = (today, now, photoIsValid)
    self.shownDay = shownDay
  }
}

/// What came of an event.
public enum FlowOutcome: Sendable, Equatable {
  /// Nothing changed.
  case unchanged
  /// The draft changed, the step did not.
  case changed
  /// These errors stand against it, in the order of the fields; the step stays.
  case refused([ValidationError])
  /// The step is done; this one is next. After the contact step that is the summary, which comes on
  /// screen when the announcement exists.
  case moved(to: FlowStep)
  /// The flow was left from its first step; the draft is kept.
  case left
}
