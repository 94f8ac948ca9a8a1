import Announcements
import Foundation
import PhotoIngestion
import ReportFlow

/// The fields of a step's form as they stand in a draft.
struct StepFields: Sendable, Equatable {
  /// A field and what stands in it.
  struct Entry: Sendable, Equatable {
    let field: FormField
    let text: String
  }

  let entries: [Entry]

  var texts: [FormField: String] {
    Dictionary(uniqueKeysWithValues: entries.map { ($0.field, $0.text) })
  }

  /// What stands in a field; empty for one of another step.
  subscript(field: FormField) -> String { entries.first { $0.field == field }?.text ?? "" }

  /// Tells two states of a form apart, and nothing of what stands in it: a page sends back which one it
  /// was made from.
  var fingerprint: String {
    let text = entries.map { "\($0.text.utf8.count):\($0.text)" }.joined()
    return String(sha256(of: Array(text.utf8)).prefix(16))
  }
}

extension ReportDraft {
  /// What stands in the form of a step, valid or not.
  func fields(of step: FlowStep) -> StepFields {
    StepFields(entries: step.fields.map { .init(field: $0, text: text(of: $0)) })
  }
}

extension FlowStep {
  /// Where the step's page is.
  var path: String { "/report/" + rawValue }
}
