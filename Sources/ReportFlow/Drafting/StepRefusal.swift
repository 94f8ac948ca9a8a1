package import Announcements
package import PhotoIngestion

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
  /// What is wrong with a step as it stands, if its last Continue was refused; empty for any other step.
  package func errors(of step: FlowStep, _ facts: FlowFacts) -> [ValidationError] {
    guard let refusal = refusals[step], refusal.typed == nil else { return [] }
    var tried = self
    guard case .refused(let found) = tried.handle(.continued(step, facts)) else {
      return refusal.errors
    }
    return refusal.errors + found.filter { refusal.errors.of($0.field) == nil }
  }
}
