package import Announcements
package import PhotoModel

/// The reasons why a step's last Continue, or the last Publish, was refused. They stay in the draft until the next
/// attempt, so that a page can be reloaded without submitting again.
///
/// Errors in texts that the draft contains aren't stored, because the step is validated again when it's shown.
package struct StepRefusal: Sendable, Equatable, Codable {
  /// Errors in values that the draft can't hold, such as a day in the future.
  package var errors: [ValidationError] = []
  /// Notes about characters that were removed from texts.
  package var adjusted: [InputAdjustment] = []
  /// The inputs from an outdated page, which was rendered before another page changed the step.
  package var typed: [FormField: String]?
  /// The error of the refused photo.
  package var photo: PhotoError?
  /// Another reason.
  package var reason: TextKey?
  /// The fields that the announcement can't accept as they are.
  package var invalidFields: [String] = []
  /// The day in the future that was typed, as text.
  package var futureDay: String?
  /// The announcement that already has the microchip number.
  package var other: String?

  /// Creates a refusal with these reasons. A refusal without reasons means errors in the draft's texts.
  package init(
    errors: [ValidationError] = [], adjusted: [InputAdjustment] = [],
    typed: [FormField: String]? = nil, photo: PhotoError? = nil, reason: TextKey? = nil,
    invalidFields: [String] = []
  ) {
    self.errors = errors
    self.adjusted = adjusted
    self.typed = typed
    self.photo = photo
    self.reason = reason
    self.invalidFields = invalidFields
  }
}

extension ReportDraft {
  /// Returns the error that Continue would report for one field now, or `nil` if the field is valid.
  package func error(of field: FormField, _ context: FlowContext) -> ValidationError? {
    var tried = self
    if case .refused(let errors) = tried.handle(.continued(field.step, context)) {
      return errors.of(field)
    }
    return nil
  }

  /// Returns the current errors of a step whose last Continue was refused. Returns an empty array for other steps.
  package func errors(of step: FlowStep, _ context: FlowContext) -> [ValidationError] {
    guard let refusal = refusals[step], refusal.typed == nil else { return [] }
    return errors(of: step, context, beside: refusal.errors)
  }

  /// Completes a step unless its form contained `unusable` values, which the draft can't hold. In that case, reopens
  /// the step and refuses it with these errors and those of its other fields.
  package mutating func finish(
    _ step: FlowStep, _ context: FlowContext, unusable: [ValidationError]
  ) -> FlowOutcome {
    guard !unusable.isEmpty else { return handle(.continued(step, context)) }
    handle(.reopened(step))
    return .refused(errors(of: step, context, beside: unusable))
  }

  private func errors(
    of step: FlowStep, _ context: FlowContext, beside unusable: [ValidationError]
  ) -> [ValidationError] {
    var tried = self
    var errors = unusable
    if case .refused(let found) = tried.handle(.continued(step, context)) {
      errors += found.filter { unusable.of($0.field) == nil }
    }
    return step.fields.flatMap { field in errors.filter { $0.field == field } }
      + errors.filter { !step.fields.contains($0.field) }
  }
}
