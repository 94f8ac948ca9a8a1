import Announcements
import Foundation
import PhotoIngestion
import ReportFlow

/// The fields of a step's form, with their texts in a draft.
struct StepFields: Sendable, Equatable {
  /// A field and its text.
  struct Entry: Sendable, Equatable {
    let field: FormField
    let text: String
  }

  let entries: [Entry]

  var texts: [FormField: String] {
    Dictionary(uniqueKeysWithValues: entries.map { ($0.field, $0.text) })
  }

  /// Returns the text of a field. Empty if the field belongs to another step.
  subscript(field: FormField) -> String { entries.first { $0.field == field }?.text ?? "" }

  /// A hash for comparing two states of a form, without their texts. A page sends back the fingerprint of the state
  /// that it was made from.
  var fingerprint: String {
    let text = entries.map { "\($0.text.utf8.count):\($0.text)" }.joined()
    return String(sha256(of: Array(text.utf8)).prefix(16))
  }
}

extension ReportDraft {
  /// Returns the fields of a step's form, whether valid or not.
  func fields(of step: FlowStep) -> StepFields {
    StepFields(entries: step.fields.map { .init(field: $0, text: text(of: $0)) })
  }
}

extension FlowStep {
  /// The path of the step's page.
  var path: String { "/report/" + rawValue }
}
