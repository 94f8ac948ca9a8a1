public import Announcements
public import Foundation

/// An event that can change a draft.
public enum FlowEvent: Sendable {
  /// A field changed.
  case edited(FlowEdit)
  /// Continue was tapped on this step in this situation.
  case continued(FlowStep, FlowContext)
  /// The step is no longer complete because its form received a value that it can't hold, such as a day that doesn't
  /// exist. The next valid Continue completes it again.
  case reopened(FlowStep)
  /// The newly attached photo contains the place where it was taken.
  case photoPlaced(PhotoPlace)
  /// The draft now has this photo, or none if `nil`. If its place came from another photo, the place is discarded.
  case photoPlaceForgotten(unless: UUID?)
  /// Back was tapped on the step on screen.
  case back
  /// The announcement is about to be created with this password, unless an earlier attempt has already set one.
  case submitting(managementPassword: String)
  /// The announcement with this key exists. A password that the server chose replaces the draft's own.
  case announced(id: String, key: UUID, managementPassword: String? = nil)
  /// There is no announcement with this key, and it can't be created any more.
  case notAnnounced(key: UUID, newKey: UUID)
  /// The announcement has its photo.
  case photoSent(id: String)
  /// The management password was shown and is erased.
  case passwordShown
  /// The flow was left for good or starts again.
  case cleared(newKey: UUID)
}

/// A change of one field.
public enum FlowEdit: Sendable {
  /// A text was typed. In a field for a number, characters that numbers can't contain are dropped. Text beyond the
  /// field's limit is dropped, and so is a breed while no species is chosen. Coordinates use the case `coordinate`.
  case typed(FormField, String)
  /// A day was chosen. A day after `today` is refused and the previous day stays.
  case date(CalendarDay, today: CalendarDay)
  /// A species was chosen. A different species clears the breed.
  case species(SpeciesTaxonomyOption?)
  case gender(Gender?)
  /// A latitude or longitude was typed. The capture becomes `manual`.
  case coordinate(FormField, String, LocationContext)
  /// A position was found. Fills both fields with five decimals. Only a position from the device itself counts as `gps`
  /// (decision 45).
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
    let latitude = self[.latitude]
    let longitude = self[.longitude]
    guard !latitude.trimmed.isEmpty || !longitude.trimmed.isEmpty else {
      capture = nil
      return
    }
    capture = LocationCapture(
      latitude: CoordinateRules.number(latitude), longitude: CoordinateRules.number(longitude),
      captureMethod: .manual, timestamp: context.now, permissionStatus: permission(in: context))
  }

  /// Returns the location permission. If this interface hasn't asked for it, the earlier answer is kept.
  fileprivate func permission(in context: LocationContext) -> LocationAuthorization {
    guard context.authorization == .notDetermined, let capture else { return context.authorization }
    return capture.permissionStatus
  }
}

/// The time and permission with which a position was captured or typed.
public struct LocationContext: Sendable, Equatable {
  /// The time.
  package let now: Date
  /// The location permission.
  package let authorization: LocationAuthorization

  /// Creates a context from these values.
  package init(now: Date, authorization: LocationAuthorization) {
    self.now = now
    self.authorization = authorization
  }
}

/// The values that Continue needs besides the draft.
public struct FlowContext: Sendable, Equatable {
  /// The current day in the reporter's time zone.
  package var today: CalendarDay
  /// The day that step 3 shows while no day is chosen. `nil` means today.
  package var shownDay: CalendarDay?
  /// The current time.
  package var now: Date
  /// `true` if there is a photo and its blob is intact (decision 7).
  package var photoIsValid: Bool

  /// Creates a context from these values.
  package init(
    today: CalendarDay, now: Date, photoIsValid: Bool = false, shownDay: CalendarDay? = nil
  ) {
    self.today = today
    self.now = now
    self.photoIsValid = photoIsValid
    self.shownDay = shownDay
  }
}

/// The result of an event.
public enum FlowOutcome: Sendable, Equatable {
  /// Nothing changed.
  case unchanged
  /// The draft changed but its step didn't.
  case changed
  /// The event was refused with these errors, in the order of the fields. The step stays.
  case refused([ValidationError])
  /// The step is complete and this step is next. After the contact step that's the summary, which appears once the
  /// announcement has its photo.
  case moved(to: FlowStep)
  /// The reporter left the flow from its first step. The draft is kept.
  case left
}
