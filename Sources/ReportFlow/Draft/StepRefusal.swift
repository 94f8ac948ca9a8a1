package import Announcements

/// Why a step's last Continue, or the last Publish, led nowhere. It stays in the draft until the next one, so that
/// a page which shows it can be loaded again without anything being sent again.
///
/// What is wrong with texts that the draft holds is not in it: their step is validated again when it's shown.
package struct StepRefusal: Sendable, Equatable, Codable {
  /// Errors of what the draft can't hold, such as a day that hasn't come yet.
  package var errors: [ValidationError] = []
  /// What was left out of the texts.
  package var adjusted: [InputAdjustment] = []
  /// What was typed on a page that was made before another one changed the step.
  package var typed: [FormField: String]?
  /// Why the photo was refused.
  package var photo: PhotoError?
  /// Another reason.
  package var reason: TextKey?
  /// Fields that the announcement may not have as they are.
  package var invalidFields: [String] = []

  /// A refusal for these reasons; without any, for errors of the texts in the draft.
  package init(
    errors: [ValidationError] = [], adjusted: [InputAdjustment] = [],
    typed: [FormField: String]? = nil, photo: PhotoError? = nil, reason: TextKey? = nil,
    invalidFields: [String] = []
  ) {
    (self.errors, self.adjusted, self.typed) = (errors, adjusted, typed)
    (self.photo, self.reason, self.invalidFields) = (photo, reason, invalidFields)
  }
}

extension ReportDraft {
  /// What Continue would say of one field as it is typed now; nil when it is fine.
  package func error(of field: FormField, _ facts: FlowFacts) -> ValidationError? {
    var tried = self
    if case .refused(let errors) = tried.handle(.continued(field.step, facts)) {
      return errors.of(field)
    }
    return nil
  }

  /// What is wrong with a step as it stands, if its last Continue was refused; empty for any other step.
  package func errors(of step: FlowStep, _ facts: FlowFacts) -> [ValidationError] {
    guard let refusal = refusals[step], refusal.typed == nil else { return [] }
    return errors(of: step, facts, beside: refusal.errors)
  }

  /// Continue of a step, unless its form brought `unusable` values, which no draft holds: then the step is open
  /// again, and refused for these and what is wrong with its other fields.
  package mutating func finish(
    _ step: FlowStep, _ facts: FlowFacts, unusable: [ValidationError]
  ) -> FlowOutcome {
    guard !unusable.isEmpty else { return handle(.continued(step, facts)) }
    handle(.reopened(step))
    return .refused(errors(of: step, facts, beside: unusable))
  }

  private func errors(
    of step: FlowStep, _ facts: FlowFacts, beside unusable: [ValidationError]
  ) -> [ValidationError] {
    var (tried, errors) = (self, unusable)
    if case .refused(let found) = tried.handle(.continued(step, facts)) {
      errors += found.filter { unusable.of($0.field) == nil }
    }
    return step.fields.flatMap { field in errors.filter { $0.field == field } }
      + errors.filter { !step.fields.contains($0.field) }
  }
}
